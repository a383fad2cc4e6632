package x10.lang;

import x10.array.DenseIterationSpace_2;

/** The Ints from min to max, both included; none if max is less than min. */
public struct IntRange(min:Int, max:Int) implements Iterable[Int] {
    /** From min to max. */
    public def this(min:Int, max:Int) { property(min, max); }
    /** The same numbers, cut off to Ints. */
    public static operator (x:LongRange) as IntRange = IntRange(x.min as Int, x.max as Int);
    /** Goes over the numbers. */
    public def iterator():Iterator[Int] = new IntRangeIterator(min, max);
    /** How many numbers. */
    public def size():Long = max < min ? 0 : (max as Long) - (min as Long) + 1;
    /** Cut into n ranges whose sizes differ by at most one, the larger first. */
    public def split(n:Int):Rail[IntRange]{self!=null} {
        if (n == 0n) throw new ArithmeticException("a range cut into 0 ranges");
        val low = min as Long;
        val high = max as Long;
        return new Rail[IntRange](n as Long, (i:Long)=> {
            val block = x10.array.BlockingUtils.block(low, high, n as Long, i);
            // An empty one may begin behind the largest Int.
            return block.min > Int.MAX_VALUE as Long ? IntRange(Int.MAX_VALUE, Int.MAX_VALUE - 1n) : IntRange(block.min as Int, block.max as Int);
        });
    }
    /** The rectangle of all pairs, this the slower axis. */
    public operator this * (that:IntRange):DenseIterationSpace_2{self!=null} =
        new DenseIterationSpace_2(min, that.min, max, that.max);
    /** "min..max". */
    public def toString():String = min + ".." + max;
    /** Whether that is a range with the same bounds. */
    public def equals(that:Any):Boolean = that instanceof IntRange && (that as IntRange).min == min && (that as IntRange).max == max;
    /** A hash of the bounds. */
    public def hashCode():Int = min.hashCode() * 31n + max.hashCode();
}

final class IntRangeIterator implements Iterator[Int] {
    private var next:Int;
    private val max:Int;
    private var more:Boolean;

    def this(min:Int, max:Int) { this.next = min; this.max = max; this.more = min <= max; }

    public def hasNext():Boolean = more;
    public def next():Int {
        val value = next;
        if (value == max) more = false; else next = value + 1n;
        return value;
    }
}
