package x10.array;

/** All points (i, j) of a rectangle, bounds included, j fastest. */
public final class DenseIterationSpace_2 extends IterationSpace {
    /** Least i. */
    public val min0:Long;
    /** Least j. */
    public val min1:Long;
    /** Greatest i. */
    public val max0:Long;
    /** Greatest j. */
    public val max1:Long;

    /** From (min0, min1) to (max0, max1). */
    public def this(min0:Long, min1:Long, max0:Long, max1:Long) {
        super(2);
        this.min0 = min0; this.min1 = min1; this.max0 = max0; this.max1 = max1;
    }
    public def size():Long = max0 < min0 || max1 < min1 ? 0 : (max0 - min0 + 1) * (max1 - min1 + 1);
    public def min(i:Long):Long = i == 0 ? min0 : min1;
    public def max(i:Long):Long = i == 0 ? max0 : max1;
    /** The space with a third axis, the fastest. */
    public operator this * (that:LongRange):DenseIterationSpace_3 =
        new DenseIterationSpace_3(min0, min1, that.min, max0, max1, that.max);
    /** The space with a third axis, the fastest. */
    public operator this * (that:IntRange):DenseIterationSpace_3 =
        new DenseIterationSpace_3(min0, min1, that.min, max0, max1, that.max);
    /** Goes over the points. */
    public def iterator():Iterator[Point] = new Iterator_2(this);
    /** "(a..b)*(c..d)". */
    public def toString():String = "(" + min0 + ".." + max0 + ")*(" + min1 + ".." + max1 + ")";
}

final class Iterator_2 implements Iterator[Point] {
    private val space:DenseIterationSpace_2;
    private var i:Long;
    private var j:Long;

    def this(space:DenseIterationSpace_2) { this.space = space; i = space.min0; j = space.min1; }

    public def hasNext():Boolean = i <= space.max0 && space.min1 <= space.max1;
    public def next():Point {
        val point = Point.make(i, j);
        if (++j > space.max1) { j = space.min1; i++; }
        return point;
    }
}
