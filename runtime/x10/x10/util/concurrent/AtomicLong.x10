package x10.util.concurrent;

import x10.compiler.Intrinsic;

/** A Long that several activities read and change at once, each change as a whole. */
public final class AtomicLong {
    /** The one element is the value. */
    private val cell:Rail[Long] = new Rail[Long](1);

    /** Holds 0. */
    public def this() { }
    /** Holds v. */
    public def this(v:Long) { set(v); }

    /** The value. */
    public def get():Long = load(cell);
    /** Sets the value. */
    public def set(newV:Long):void { store(cell, newV); }
    /** Sets the value to update if it is expect; whether it was. */
    public def compareAndSet(expect:Long, update:Long):Boolean = compare(cell, expect, update);
    /** As compareAndSet. */
    public def weakCompareAndSet(expect:Long, update:Long):Boolean = compare(cell, expect, update);
    /** Sets the value; gives the one before. */
    public def getAndSet(v:Long):Long = swap(cell, v);
    /** Adds 1; gives the value before. */
    public def getAndIncrement():Long = add(cell, 1);
    /** Subtracts 1; gives the value before. */
    public def getAndDecrement():Long = add(cell, -1);
    /** Adds delta; gives the value before. */
    public def getAndAdd(delta:Long):Long = add(cell, delta);
    /** Adds 1; gives the new value. */
    public def incrementAndGet():Long = add(cell, 1) + 1;
    /** Subtracts 1; gives the new value. */
    public def decrementAndGet():Long = add(cell, -1) - 1;
    /** Adds delta; gives the new value. */
    public def addAndGet(delta:Long):Long = add(cell, delta) + delta;
    /** The value in decimal. */
    public def toString():String = get().toString();
    /** The value. */
    public def intValue():Int = get() as Int;
    /** The value. */
    public def longValue():Long = get();
    /** The value. */
    public def floatValue():Float = get() as Float;
    /** The value. */
    public def doubleValue():Double = get() as Double;

    @Intrinsic("rt.atomic_load_i64") private static native def load(cell:Rail[Long]):Long;
    @Intrinsic("rt.atomic_store_i64") private static native def store(cell:Rail[Long], v:Long):void;
    @Intrinsic("rt.atomic_swap_i64") private static native def swap(cell:Rail[Long], v:Long):Long;
    @Intrinsic("rt.atomic_add_i64") private static native def add(cell:Rail[Long], delta:Long):Long;
    @Intrinsic("rt.atomic_compare_i64") private static native def compare(cell:Rail[Long], expect:Long, update:Long):Boolean;
}
