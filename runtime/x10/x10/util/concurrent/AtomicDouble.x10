package x10.util.concurrent;

/** A Double that several activities read and change at once, each change as a whole. */
public final class AtomicDouble {
    private val bits:AtomicLong;

    /** Holds 0. */
    public def this() { bits = new AtomicLong(); }
    /** Holds v. */
    public def this(v:Double) { bits = new AtomicLong(v.toRawLongBits()); }

    /** The value. */
    public def get():Double = Double.fromLongBits(bits.get());
    /** Sets the value. */
    public def set(v:Double):void { bits.set(v.toRawLongBits()); }
    /** Sets the value to update if it has the bits of expect; whether it had. */
    public def compareAndSet(expect:Double, update:Double):Boolean = bits.compareAndSet(expect.toRawLongBits(), update.toRawLongBits());
    /** As compareAndSet. */
    public def weakCompareAndSet(expect:Double, update:Double):Boolean = compareAndSet(expect, update);
    /** Sets the value; gives the one before. */
    public def getAndSet(v:Double):Double = Double.fromLongBits(bits.getAndSet(v.toRawLongBits()));
    /** Adds 1; gives the value before. */
    public def getAndIncrement():Double = getAndAdd(1.0);
    /** Subtracts 1; gives the value before. */
    public def getAndDecrement():Double = getAndAdd(-1.0);
    /** Adds delta; gives the value before. */
    public def getAndAdd(delta:Double):Double {
        while (true) {
            val old = bits.get();
            val value = Double.fromLongBits(old);
            if (bits.compareAndSet(old, (value + delta).toRawLongBits())) return value;
        }
    }
    /** Adds 1; gives the new value. */
    public def incrementAndGet():Double = addAndGet(1.0);
    /** Subtracts 1; gives the new value. */
    public def decrementAndGet():Double = addAndGet(-1.0);
    /** Adds delta; gives the new value. */
    public def addAndGet(delta:Double):Double = getAndAdd(delta) + delta;
    /** The value in decimal. */
    public def toString():String = get().toString();
    /** The value, cut off. */
    public def intValue():Int = get() as Int;
    /** The value, cut off. */
    public def longValue():Long = get() as Long;
    /** The value. */
    public def floatValue():Float = get() as Float;
    /** The value. */
    public def doubleValue():Double = get();
}
