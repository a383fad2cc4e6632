package x10.array;

/** What one place has of a distributed array: the elements of a box, row by row. */
final class Part[T] {
    val rail:Rail[T]{self!=null};
    // The box: first index and extent of each axis; axes that the array lacks have the one index 0.
    val min0:Long;
    val min1:Long;
    val min2:Long;
    val extent0:Long;
    val extent1:Long;
    val extent2:Long;

    def this(box:DenseIterationSpace_3, init:(Long,Long,Long)=>T) {
        min0 = box.min0; min1 = box.min1; min2 = box.min2;
        extent0 = count(box.min0, box.max0); extent1 = count(box.min1, box.max1); extent2 = count(box.min2, box.max2);
        val elements = Unsafe.uninitialised[T](extent0 * extent1 * extent2);
        rail = elements as Rail[T]{self!=null};
        var next:Long = 0;
        for (i in box.min0..box.max0)
            for (j in box.min1..box.max1)
                for (k in box.min2..box.max2) Unsafe.set(elements, next++, init(i, j, k));
    }
    def this(box:DenseIterationSpace_3){T haszero} {
        min0 = box.min0; min1 = box.min1; min2 = box.min2;
        extent0 = count(box.min0, box.max0); extent1 = count(box.min1, box.max1); extent2 = count(box.min2, box.max2);
        rail = new Rail[T](extent0 * extent1 * extent2) as Rail[T]{self!=null};
    }
    private static def count(min:Long, max:Long):Long = max < min ? 0 : max - min + 1;

    /** Where the element is in the rail; -1 if it is not here. */
    def find(i:Long):Long = (i - min0) as ULong >= extent0 as ULong ? -1 : i - min0;
    /** Where the element is in the rail; -1 if it is not here. */
    def find(i:Long, j:Long):Long {
        if ((i - min0) as ULong >= extent0 as ULong || (j - min1) as ULong >= extent1 as ULong) return -1;
        return (i - min0) * extent1 + j - min1;
    }
    /** Where the element is in the rail; -1 if it is not here. */
    def find(i:Long, j:Long, k:Long):Long {
        if ((i - min0) as ULong >= extent0 as ULong || (j - min1) as ULong >= extent1 as ULong) return -1;
        if ((k - min2) as ULong >= extent2 as ULong) return -1;
        return ((i - min0) * extent1 + j - min1) * extent2 + k - min2;
    }
    /** A copy of the elements of a box that is here; null if it is not. */
    def patch(box:DenseIterationSpace_3):Rail[T] {
        val elements = Unsafe.uninitialised[T](box.size());
        var next:Long = 0;
        for (i in box.min0..box.max0)
            for (j in box.min1..box.max1)
                for (k in box.min2..box.max2) {
                    val index = find(i, j, k);
                    if (index < 0) return null;
                    Unsafe.set(elements, next++, Unsafe.get(rail, index));
                }
        return elements;
    }
}
