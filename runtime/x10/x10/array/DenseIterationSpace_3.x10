package x10.array;

/** All points (i, j, k) of a box, bounds included, k fastest. */
public final class DenseIterationSpace_3 extends IterationSpace {
    /** Least i. */
    public val min0:Long;
    /** Least j. */
    public val min1:Long;
    /** Least k. */
    public val min2:Long;
    /** Greatest i. */
    public val max0:Long;
    /** Greatest j. */
    public val max1:Long;
    /** Greatest k. */
    public val max2:Long;

    /** From (min0, min1, min2) to (max0, max1, max2). */
    public def this(min0:Long, min1:Long, min2:Long, max0:Long, max1:Long, max2:Long) {
        super(3);
        this.min0 = min0; this.min1 = min1; this.min2 = min2; this.max0 = max0; this.max1 = max1; this.max2 = max2;
    }
    public def size():Long =
        max0 < min0 || max1 < min1 || max2 < min2 ? 0 : (max0 - min0 + 1) * (max1 - min1 + 1) * (max2 - min2 + 1);
    public def min(i:Long):Long = i == 0 ? min0 : (i == 1 ? min1 : min2);
    public def max(i:Long):Long = i == 0 ? max0 : (i == 1 ? max1 : max2);
    /** Goes over the points. */
    public def iterator():Iterator[Point] = new Iterator_3(this);
    /** "(a..b)*(c..d)*(e..f)". */
    public def toString():String = "(" + min0 + ".." + max0 + ")*(" + min1 + ".." + max1 + ")*(" + min2 + ".." + max2 + ")";
}

final class Iterator_3 implements Iterator[Point] {
    private val space:DenseIterationSpace_3;
    private var i:Long;
    private var j:Long;
    private var k:Long;

    def this(space:DenseIterationSpace_3) { this.space = space; i = space.min0; j = space.min1; k = space.min2; }

    public def hasNext():Boolean = i <= space.max0 && space.min1 <= space.max1 && space.min2 <= space.max2;
    public def next():Point {
        val point = Point.make(i, j, k);
        if (++k > space.max2) {
            k = space.min2;
            if (++j > space.max1) { j = space.min1; i++; }
        }
        return point;
    }
}
