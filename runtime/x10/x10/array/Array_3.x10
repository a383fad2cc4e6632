package x10.array;

import x10.compiler.Inline;
import x10.util.StringBuilder;

/** An array with 3 axes, indexed from zero, the last axis fastest. */
public final class Array_3[T](numElems_1:Long, numElems_2:Long, numElems_3:Long) extends Array[T]{this.rank()==3} implements (Long,Long,Long)=>T {
    /** The number of axes. */
    public property rank():Long = 3;

    /** m by n by p zeros. */
    public def this(m:Long, n:Long, p:Long){T haszero} {
        super(volume(m, n, p), true);
        property(m, n, p);
    }
    /** m by n by p times init. */
    public def this(m:Long, n:Long, p:Long, init:T) {
        super(new Rail[T](volume(m, n, p), init));
        property(m, n, p);
    }
    /** m by n by p elements, each init of its index. */
    public def this(m:Long, n:Long, p:Long, init:(Long,Long,Long)=>T) {
        super(volume(m, n, p), false);
        property(m, n, p);
        val elements = raw;
        var next:Long = 0;
        for (i in 0..(m - 1))
            for (j in 0..(n - 1))
                for (k in 0..(p - 1)) Unsafe.set(elements, next++, init(i, j, k));
    }
    /** A copy of src. */
    public def this(src:Array_3[T]) {
        super(new Rail[T](src.raw()));
        property(src.numElems_1, src.numElems_2, src.numElems_3);
    }
    private def this(elements:Rail[T]{self!=null}, m:Long, n:Long, p:Long) {
        super(elements);
        property(m, n, p);
    }
    /** The array of the elements of r, row by row, which stay shared. */
    public static def makeView[T](r:Rail[T]{self!=null}, m:Long, n:Long, p:Long):Array_3[T]{self!=null} {
        if (volume(m, n, p) != r.size) throw new IllegalOperationException(m + " * " + n + " * " + p + " elements in a rail of " + r.size);
        return new Array_3[T](r, m, n, p);
    }

    /** The first elements, row by row, in brackets. */
    public def toString():String = toString(10);
    /** At most limit elements, row by row, in brackets. */
    public def toString(limit:Long):String {
        val text = new StringBuilder();
        text.add("[");
        val shown = Math.min(limit, size);
        for (n in 0..(shown - 1)) {
            if (n % numElems_3 != 0) text.add(", ");
            text.add("" + Unsafe.get(raw, n));
            if ((n + 1) % numElems_3 == 0) text.add((n + 1) % (numElems_2 * numElems_3) == 0 ? ";; " : "; ");
        }
        if (shown < size) text.add("...(omitted " + (size - shown) + " elements)");
        text.add("]");
        return text.toString();
    }
    /** All valid indices. */
    public def indices():DenseIterationSpace_3{self!=null} =
        new DenseIterationSpace_3(0, 0, 0, numElems_1 - 1, numElems_2 - 1, numElems_3 - 1);
    /** Where the element at (i, j, k) is in the rail of the elements. */
    public @Inline def offset(i:Long, j:Long, k:Long):Long = (i * numElems_2 + j) * numElems_3 + k;

    /** The element at (i, j, k). */
    public @Inline operator this(i:Long, j:Long, k:Long):T {
        if (outside(i, numElems_1) || outside(j, numElems_2) || outside(k, numElems_3)) raiseBoundsError(i, j, k);
        return Unsafe.get(raw, offset(i, j, k));
    }
    /** The element at p. */
    public @Inline operator this(p:Point(3)):T = this(p(0), p(1), p(2));
    /** Sets the element at (i, j, k); the value is v. */
    public @Inline operator this(i:Long, j:Long, k:Long)=(v:T):T{self==v} {
        if (outside(i, numElems_1) || outside(j, numElems_2) || outside(k, numElems_3)) raiseBoundsError(i, j, k);
        Unsafe.set(raw, offset(i, j, k), v);
        return v;
    }
    /** Sets the element at p; the value is v. */
    public @Inline operator this(p:Point(3))=(v:T):T{self==v} = this(p(0), p(1), p(2)) = v;

    // What loops use; see loop versioning in the compiler's passes.
    /** Whether all indices between are valid. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long, k0:Long, k1:Long):Boolean = 0 <= i0 && i0 <= i1 && i1 < numElems_1 && 0 <= j0 && j0 <= j1 && j1 < numElems_2 && 0 <= k0 && k0 <= k1 && k1 < numElems_3;
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long, k:Long):T = Unsafe.get(raw, offset(i, j, k));
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, k:Long, v:T):T {
        Unsafe.set(raw, offset(i, j, k), v);
        return v;
    }
}
