package x10.array;

import x10.compiler.Inline;
import x10.util.StringBuilder;

/** An array with 2 axes, indexed from zero, the last axis fastest. */
public final class Array_2[T](numElems_1:Long, numElems_2:Long) extends Array[T]{this.rank()==2} implements (Long,Long)=>T {
    /** The number of axes. */
    public property rank():Long = 2;

    /** m by n zeros. */
    public def this(m:Long, n:Long){T haszero} {
        super(volume(m, n), true);
        property(m, n);
    }
    /** m by n times init. */
    public def this(m:Long, n:Long, init:T) {
        super(new Rail[T](volume(m, n), init));
        property(m, n);
    }
    /** m by n elements, each init of its index. */
    public def this(m:Long, n:Long, init:(Long,Long)=>T) {
        super(volume(m, n), false);
        property(m, n);
        val elements = raw;
        var next:Long = 0;
        for (i in 0..(m - 1))
            for (j in 0..(n - 1)) Unsafe.set(elements, next++, init(i, j));
    }
    /** A copy of src. */
    public def this(src:Array_2[T]) {
        super(new Rail[T](src.raw()));
        property(src.numElems_1, src.numElems_2);
    }
    private def this(elements:Rail[T]{self!=null}, m:Long, n:Long) {
        super(elements);
        property(m, n);
    }
    /** The array of the elements of r, row by row, which stay shared. */
    public static def makeView[T](r:Rail[T]{self!=null}, m:Long, n:Long):Array_2[T]{self!=null} {
        if (volume(m, n) != r.size) throw new IllegalOperationException(m + " * " + n + " elements in a rail of " + r.size);
        return new Array_2[T](r, m, n);
    }

    /** The first elements, row by row, in brackets. */
    public def toString():String = toString(10);
    /** At most limit elements, row by row, in brackets. */
    public def toString(limit:Long):String {
        val text = new StringBuilder();
        text.add("[");
        val shown = Math.min(limit, size);
        for (n in 0..(shown - 1)) {
            if (n % numElems_2 != 0) text.add(", ");
            text.add("" + Unsafe.get(raw, n));
            if ((n + 1) % numElems_2 == 0) text.add("; ");
        }
        if (shown < size) text.add("...(omitted " + (size - shown) + " elements)");
        text.add("]");
        return text.toString();
    }
    /** All valid indices. */
    public def indices():DenseIterationSpace_2{self!=null} =
        new DenseIterationSpace_2(0, 0, numElems_1 - 1, numElems_2 - 1);
    /** Where the element at (i, j) is in the rail of the elements. */
    public @Inline def offset(i:Long, j:Long):Long = i * numElems_2 + j;

    /** The element at (i, j). */
    public @Inline operator this(i:Long, j:Long):T {
        if (outside(i, numElems_1) || outside(j, numElems_2)) raiseBoundsError(i, j);
        return Unsafe.get(raw, offset(i, j));
    }
    /** The element at p. */
    public @Inline operator this(p:Point(2)):T = this(p(0), p(1));
    /** Sets the element at (i, j); the value is v. */
    public @Inline operator this(i:Long, j:Long)=(v:T):T{self==v} {
        if (outside(i, numElems_1) || outside(j, numElems_2)) raiseBoundsError(i, j);
        Unsafe.set(raw, offset(i, j), v);
        return v;
    }
    /** Sets the element at p; the value is v. */
    public @Inline operator this(p:Point(2))=(v:T):T{self==v} = this(p(0), p(1)) = v;

    // What loops use; see loop versioning in the compiler's passes.
    /** Whether all indices between are valid. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long):Boolean = 0 <= i0 && i0 <= i1 && i1 < numElems_1 && 0 <= j0 && j0 <= j1 && j1 < numElems_2;
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long):T = Unsafe.get(raw, offset(i, j));
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, v:T):T {
        Unsafe.set(raw, offset(i, j), v);
        return v;
    }
}
