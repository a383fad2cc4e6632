package x10.util.concurrent;

/** A Float that several activities read and change at once, each change as a whole. */
public final class AtomicFloat {
    private val bits:AtomicInteger;

    /** Holds 0. */
    public def this() { bits = new AtomicInteger(); }
    /** Holds v. */
    public def this(v:Float) { bits = new AtomicInteger(v.toRawIntBits()); }

    /** The value. */
    public def get():Float = Float.fromIntBits(bits.get());
    /** Sets the value. */
    public def set(v:Float):void { bits.set(v.toRawIntBits()); }
    /** Sets the value to update if it has the bits of expect; whether it had. */
    public def compareAndSet(expect:Float, update:Float):Boolean = bits.compareAndSet(expect.toRawIntBits(), update.toRawIntBits());
    /** As compareAndSet. */
    public def weakCompareAndSet(expect:Float, update:Float):Boolean = compareAndSet(expect, update);
    /** Sets the value; gives the one before. */
    public def getAndSet(v:Float):Float = Float.fromIntBits(bits.getAndSet(v.toRawIntBits()));
    /** Adds 1; gives the value before. */
    public def getAndIncrement():Float = getAndAdd(1.0f);
    /** Subtracts 1; gives the value before. */
    public def getAndDecrement():Float = getAndAdd(-1.0f);
    /** Adds delta; gives the value before. */
    public def getAndAdd(delta:Float):Float {
        while (true) {
            val old = bits.get();
            val value = Float.fromIntBits(old);
            if (bits.compareAndSet(old, (value + delta).toRawIntBits())) return value;
        }
    }
    /** Adds 1; gives the new value. */
    public def incrementAndGet():Float = addAndGet(1.0f);
    /** Subtracts 1; gives the new value. */
    public def decrementAndGet():Float = addAndGet(-1.0f);
    /** Adds delta; gives the new value. */
    public def addAndGet(delta:Float):Float = getAndAdd(delta) + delta;
    /** The value in decimal. */
    public def toString():String = get().toString();
    /** The value, cut off. */
    public def intValue():Int = get() as Int;
    /** The value, cut off. */
    public def longValue():Long = get() as Long;
    /** The value. */
    public def floatValue():Float = get();
    /** The value. */
    public def doubleValue():Double = get() as Double;
}
