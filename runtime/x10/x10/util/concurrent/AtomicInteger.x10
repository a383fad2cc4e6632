package x10.util.concurrent;

import x10.compiler.Intrinsic;

/** An Int that several activities read and change at once, each change as a whole. */
public final class AtomicInteger {
    /** The one element is the value. */
    private val cell:Rail[Int] = new Rail[Int](1);

    /** Holds 0. */
    public def this() { }
    /** Holds v. */
    public def this(v:Int) { set(v); }

    /** The value. */
    public def get():Int = load(cell);
    /** Sets the value. */
    public def set(newV:Int):void { store(cell, newV); }
    /** Sets the value to update if it is expect; whether it was. */
    public def compareAndSet(expect:Int, update:Int):Boolean = compare(cell, expect, update);
    /** As compareAndSet. */
    public def weakCompareAndSet(expect:Int, update:Int):Boolean = compare(cell, expect, update);
    /** Sets the value; gives the one before. */
    public def getAndSet(v:Int):Int = swap(cell, v);
    /** Adds 1; gives the value before. */
    public def getAndIncrement():Int = add(cell, 1n);
    /** Subtracts 1; gives the value before. */
    public def getAndDecrement():Int = add(cell, -1n);
    /** Adds delta; gives the value before. */
    public def getAndAdd(delta:Int):Int = add(cell, delta);
    /** Adds 1; gives the new value. */
    public def incrementAndGet():Int = add(cell, 1n) + 1n;
    /** Subtracts 1; gives the new value. */
    public def decrementAndGet():Int = add(cell, -1n) - 1n;
    /** Adds delta; gives the new value. */
    public def addAndGet(delta:Int):Int = add(cell, delta) + delta;
    /** The value in decimal. */
    public def toString():String = get().toString();
    /** The value. */
    public def intValue():Int = get();
    /** The value. */
    public def longValue():Long = get() as Long;
    /** The value. */
    public def floatValue():Float = get() as Float;
    /** The value. */
    public def doubleValue():Double = get() as Double;

    @Intrinsic("rt.atomic_load_i32") private static native def load(cell:Rail[Int]):Int;
    @Intrinsic("rt.atomic_store_i32") private static native def store(cell:Rail[Int], v:Int):void;
    @Intrinsic("rt.atomic_swap_i32") private static native def swap(cell:Rail[Int], v:Int):Int;
    @Intrinsic("rt.atomic_add_i32") private static native def add(cell:Rail[Int], delta:Int):Int;
    @Intrinsic("rt.atomic_compare_i32") private static native def compare(cell:Rail[Int], expect:Int, update:Int):Boolean;
}
