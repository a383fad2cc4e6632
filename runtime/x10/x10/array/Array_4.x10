package x10.array;

import x10.compiler.Inline;
import x10.util.StringBuilder;

/** An array with 4 axes, indexed from zero, the last axis fastest. */
public final class Array_4[T](numElems_1:Long, numElems_2:Long, numElems_3:Long, numElems_4:Long) extends Array[T]{this.rank()==4} implements (Long,Long,Long,Long)=>T {
    /** The number of axes. */
    public property rank():Long = 4;

    /** m by n by p by q zeros. */
    public def this(m:Long, n:Long, p:Long, q:Long){T haszero} {
        super(volume(m, n, p, q), true);
        property(m, n, p, q);
    }
    /** m by n by p by q times init. */
    public def this(m:Long, n:Long, p:Long, q:Long, init:T) {
        super(new Rail[T](volume(m, n, p, q), init));
        property(m, n, p, q);
    }
    /** m by n by p by q elements, each init of its index. */
    public def this(m:Long, n:Long, p:Long, q:Long, init:(Long,Long,Long,Long)=>T) {
        super(volume(m, n, p, q), false);
        property(m, n, p, q);
        val elements = raw;
        var next:Long = 0;
        for (i in 0..(m - 1))
            for (j in 0..(n - 1))
                for (k in 0..(p - 1))
                    for (l in 0..(q - 1)) Unsafe.set(elements, next++, init(i, j, k, l));
    }
    /** A copy of src. */
    public def this(src:Array_4[T]) {
        super(new Rail[T](src.raw()));
        property(src.numElems_1, src.numElems_2, src.numElems_3, src.numElems_4);
    }
    private def this(elements:Rail[T]{self!=null}, m:Long, n:Long, p:Long, q:Long) {
        super(elements);
        property(m, n, p, q);
    }
    /** The array of the elements of r, row by row, which stay shared. */
    public static def makeView[T](r:Rail[T]{self!=null}, m:Long, n:Long, p:Long, q:Long):Array_4[T]{self!=null} {
        if (volume(m, n, p, q) != r.size) throw new IllegalOperationException(m + " * " + n + " * " + p + " * " + q + " elements in a rail of " + r.size);
        return new Array_4[T](r, m, n, p, q);
    }

    /** The first elements, row by row, in brackets. */
    public def toString():String = toString(10);
    /** At most limit elements, row by row, in brackets. */
    public def toString(limit:Long):String {
        val text = new StringBuilder();
        text.add("[");
        val shown = Math.min(limit, size);
        for (n in 0..(shown - 1)) {
            if (n % numElems_4 != 0) text.add(", ");
            text.add("" + Unsafe.get(raw, n));
            if ((n + 1) % numElems_4 == 0) text.add((n + 1) % (numElems_3 * numElems_4) == 0 ? ";; " : "; ");
        }
        if (shown < size) text.add("...(omitted " + (size - shown) + " elements)");
        text.add("]");
        return text.toString();
    }
    /** All valid indices. */
    public def indices():DenseIterationSpace_4{self!=null} =
        new DenseIterationSpace_4(0, 0, 0, 0, numElems_1 - 1, numElems_2 - 1, numElems_3 - 1, numElems_4 - 1);
    /** Where the element at (i, j, k, l) is in the rail of the elements. */
    public @Inline def offset(i:Long, j:Long, k:Long, l:Long):Long = ((i * numElems_2 + j) * numElems_3 + k) * numElems_4 + l;

    /** The element at (i, j, k, l). */
    public @Inline operator this(i:Long, j:Long, k:Long, l:Long):T {
        if (outside(i, numElems_1) || outside(j, numElems_2) || outside(k, numElems_3) || outside(l, numElems_4)) raiseBoundsError(i, j, k, l);
        return Unsafe.get(raw, offset(i, j, k, l));
    }
    /** The element at p. */
    public @Inline operator this(p:Point(4)):T = this(p(0), p(1), p(2), p(3));
    /** Sets the element at (i, j, k, l); the value is v. */
    public @Inline operator this(i:Long, j:Long, k:Long, l:Long)=(v:T):T{self==v} {
        if (outside(i, numElems_1) || outside(j, numElems_2) || outside(k, numElems_3) || outside(l, numElems_4)) raiseBoundsError(i, j, k, l);
        Unsafe.set(raw, offset(i, j, k, l), v);
        return v;
    }
    /** Sets the element at p; the value is v. */
    public @Inline operator this(p:Point(4))=(v:T):T{self==v} = this(p(0), p(1), p(2), p(3)) = v;

    // What loops use; see loop versioning in the compiler's passes.
    /** Whether all indices between are valid. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long, k0:Long, k1:Long, l0:Long, l1:Long):Boolean = 0 <= i0 && i0 <= i1 && i1 < numElems_1 && 0 <= j0 && j0 <= j1 && j1 < numElems_2 && 0 <= k0 && k0 <= k1 && k1 < numElems_3 && 0 <= l0 && l0 <= l1 && l1 < numElems_4;
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long, k:Long, l:Long):T = Unsafe.get(raw, offset(i, j, k, l));
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, k:Long, l:Long, v:T):T {
        Unsafe.set(raw, offset(i, j, k, l), v);
        return v;
    }
}
