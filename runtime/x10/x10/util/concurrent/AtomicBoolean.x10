package x10.util.concurrent;

/** A Boolean that several activities read and change at once, each change as a whole. */
public final class AtomicBoolean {
    /** 0 or 1. */
    private val bit:AtomicInteger;

    /** Holds false. */
    public def this() { bit = new AtomicInteger(); }
    /** Holds v. */
    public def this(v:Boolean) { bit = new AtomicInteger(number(v)); }

    private static def number(v:Boolean):Int = v ? 1n : 0n;
    /** The value. */
    public def get():Boolean = bit.get() != 0n;
    /** Sets the value. */
    public def set(v:Boolean):void { bit.set(number(v)); }
    /** Sets the value to update if it is expect; whether it was. */
    public def compareAndSet(expect:Boolean, update:Boolean):Boolean = bit.compareAndSet(number(expect), number(update));
    /** As compareAndSet. */
    public def weakCompareAndSet(expect:Boolean, update:Boolean):Boolean = compareAndSet(expect, update);
    /** Sets the value; gives the one before. */
    public def getAndSet(v:Boolean):Boolean = bit.getAndSet(number(v)) != 0n;
    /** "true" or "false". */
    public def toString():String = get().toString();
}
