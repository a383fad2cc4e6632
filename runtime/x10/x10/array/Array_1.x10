package x10.array;

import x10.compiler.Inline;

/** An array with 1 axis, indexed from zero. */
public final class Array_1[T] extends Array[T]{this.rank()==1} implements (Long)=>T {
    /** The number of axes. */
    public property rank():Long = 1;

    /** n zeros. */
    public def this(n:Long){T haszero} {
        super(checked(n), true);
    }
    /** n times init. */
    public def this(n:Long, init:T) {
        super(new Rail[T](checked(n), init));
    }
    /** n elements, each init of its index. */
    public def this(n:Long, init:(Long)=>T) {
        super(checked(n), false);
        val elements = raw;
        for (i in 0..(n - 1)) Unsafe.set(elements, i, init(i));
    }
    /** A copy of src. */
    public def this(src:Array_1[T]) {
        super(new Rail[T](src.raw()));
    }
    private def this(elements:Rail[T]{self!=null}) { super(elements); }
    /** The array of the elements of r, which stay shared. */
    public static def makeView[T](r:Rail[T]{self!=null}):Array_1[T]{self!=null} = new Array_1[T](r);

    private static def checked(n:Long):Long {
        if (n < 0) raiseNegativeArraySizeException();
        return n;
    }
    /** The first elements, in brackets. */
    public def toString():String = raw.toString();
    /** All valid indices. */
    public def indices():DenseIterationSpace_1{self!=null} = new DenseIterationSpace_1(0, size - 1);
    /** The element at i. */
    public @Inline operator this(i:Long):T = raw(i);
    /** The element at p. */
    public @Inline operator this(p:Point(1)):T = raw(p(0));
    /** Sets the element at i; the value is v. */
    public @Inline operator this(i:Long)=(v:T):T{self==v} = raw(i) = v;
    /** Sets the element at p; the value is v. */
    public @Inline operator this(p:Point(1))=(v:T):T{self==v} = raw(p(0)) = v;

    // What loops use; see loop versioning in the compiler's passes.
    /** Whether all indices between are valid. */
    def covers(i0:Long, i1:Long):Boolean = 0 <= i0 && i0 <= i1 && i1 < size;
    /** The element at a valid index. */
    def uncheckedGet(i:Long):T = Unsafe.get(raw, i);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, v:T):T {
        Unsafe.set(raw, i, v);
        return v;
    }
}
