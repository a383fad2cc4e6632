package x10.lang;

import x10.array.DenseIterationSpace_2;

/** The Longs from min to max, both included; none if max is less than min. */
public struct LongRange(min:Long, max:Long) implements Iterable[Long] {
    /** From min to max. */
    public def this(min:Long, max:Long) { property(min, max); }
    /** The same numbers. */
    public static operator (x:IntRange):LongRange = LongRange(x.min, x.max);
    /** Goes over the numbers. */
    public def iterator():Iterator[Long] = new LongRangeIterator(min, max);
    /** How many numbers; Long.MAX_VALUE if there are more. */
    public def size():Long {
        if (max < min) return 0;
        val last = max - min;
        return last < 0 || last == Long.MAX_VALUE ? Long.MAX_VALUE : last + 1;
    }
    /** Cut into n ranges whose sizes differ by at most one, the larger first. */
    public def split(n:Long):Rail[LongRange]{self.size==n,self!=null} {
        if (n == 0) throw new ArithmeticException("a range cut into 0 ranges");
        val low = min;
        val high = max;
        return new Rail[LongRange](n, (i:Long)=>x10.array.BlockingUtils.block(low, high, n, i));
    }
    /** The rectangle of all pairs, this the slower axis. */
    public operator this * (that:LongRange):DenseIterationSpace_2{self!=null} =
        new DenseIterationSpace_2(min, that.min, max, that.max);
    /** "min..max". */
    public def toString():String = min + ".." + max;
    /** Whether that is a range with the same bounds. */
    public def equals(that:Any):Boolean = that instanceof LongRange && (that as LongRange).min == min && (that as LongRange).max == max;
    /** A hash of the bounds. */
    public def hashCode():Int = min.hashCode() * 31n + max.hashCode();
}

final class LongRangeIterator implements Iterator[Long] {
    private var next:Long;
    private val max:Long;
    private var more:Boolean;

    def this(min:Long, max:Long) { this.next = min; this.max = max; this.more = min <= max; }

    public def hasNext():Boolean = more;
    public def next():Long {
        val value = next;
        if (value == max) more = false; else next = value + 1;
        return value;
    }
}
