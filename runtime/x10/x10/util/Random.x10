package x10.util;

/**
 * A generator of pseudo-random numbers: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * OOPSLA 2014). Not for several activities at once: give each its own by split().
 */
public final class Random {
    private static DEFAULT_GAMMA:Long = 0x9e3779b97f4a7c15;
    /** Where generators without a seed start: each somewhere else. */
    private static STARTS:x10.util.concurrent.AtomicLong = new x10.util.concurrent.AtomicLong(scramble(System.currentTimeMillis()) + System.nanoTime());
    private var seed:Long;
    private val gamma:Long;
    private var spareGaussian:Double = 0.0;
    private var hasSpare:Boolean = false;

    /** The sequence that belongs to seed. */
    public def this(seed:Long) { this.seed = seed; this.gamma = DEFAULT_GAMMA; }
    /** A sequence that is likely different each time. */
    public def this() {
        val next = STARTS.getAndAdd(2 * DEFAULT_GAMMA) + (here.id << 48);
        this.seed = scramble(next);
        this.gamma = oddGamma(next + DEFAULT_GAMMA);
    }
    private def this(seed:Long, gamma:Long) { this.seed = seed; this.gamma = gamma; }

    private def step():Long { seed += gamma; return seed; }
    /** The finaliser of MurmurHash3, as in the paper. */
    private static def scramble(x:Long):Long {
        var z:Long = x;
        z = (z ^ (z >>> 33)) * 0xff51afd7ed558ccd;
        z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53;
        return z ^ (z >>> 33);
    }
    /** Its upper half, which needs no last step. */
    private static def scrambleToInt(x:Long):Int {
        var z:Long = x;
        z = (z ^ (z >>> 33)) * 0xff51afd7ed558ccd;
        z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53;
        return (z >>> 32) as Int;
    }
    /** Gammas come from another mixing function than numbers, so that they do not depend on each other. */
    private static def oddGamma(x:Long):Long {
        var z:Long = x;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111eb;
        z = (z ^ (z >>> 31)) | 1;
        return (z ^ (z >>> 1)).bitCount() < 24n ? z ^ 0xaaaaaaaaaaaaaaaa : z;
    }

    /** A generator that is independent of this one. */
    public def split():Random {
        val start = scramble(step());
        val increment = oddGamma(step());
        return new Random(start, increment);
    }
    /** Any Int. */
    public def nextInt():Int = scrambleToInt(step());
    /** 0 to bound - 1; 0 if there is no such number. */
    public def nextInt(bound:Int):Int {
        if (bound <= 0n) return 0n;
        // As many bits as bound - 1 has, until they make a number that is small enough.
        val mask = bound == 1n ? 0n : -1n >>> (bound - 1n).numberOfLeadingZeros();
        while (true) {
            val value = nextInt() & mask;
            if (value < bound) return value;
        }
    }
    /** Any Long. */
    public def nextLong():Long = scramble(step());
    /** 0 to bound - 1; 0 if there is no such number. */
    public def nextLong(bound:Long):Long {
        if (bound <= 0) return 0;
        val mask = bound == 1 ? 0 : -1 >>> (bound - 1).numberOfLeadingZeros();
        while (true) {
            val value = nextLong() & mask;
            if (value < bound) return value;
        }
    }
    /** true or false. */
    public def nextBoolean():Boolean = nextLong() < 0;
    /** 0 to before 1. */
    public def nextFloat():Float = (nextInt() >>> 8) * 5.9604645E-8f;
    /** 0 to before 1. */
    public def nextDouble():Double = (nextLong() >>> 11) * 1.1102230246251565E-16;
    /** Fills buf with any bytes. */
    public def nextBytes(buf:Rail[Byte]):void {
        var bits:Long = 0;
        for (i in buf.range) {
            if (i % 8 == 0) bits = nextLong();
            buf(i) = bits as Byte;
            bits >>= 8;
        }
    }
    /** A number of the normal distribution with mean 0 and deviation 1 (Marsaglia's polar method). */
    public def nextGaussian():Double {
        if (hasSpare) { hasSpare = false; return spareGaussian; }
        while (true) {
            val x = 2.0 * nextDouble() - 1.0;
            val y = 2.0 * nextDouble() - 1.0;
            val square = x * x + y * y;
            if (!(0.0 < square && square < 1.0)) continue;
            val scale = Math.sqrt(Math.log(square) / square * -2.0);
            spareGaussian = y * scale;
            hasSpare = true;
            return x * scale;
        }
    }
}
