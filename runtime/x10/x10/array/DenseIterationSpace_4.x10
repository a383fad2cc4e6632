package x10.array;

/** All points (i, j, k, l) of a box, bounds included, l fastest. */
public final class DenseIterationSpace_4 extends IterationSpace(4){rect} {
    /** Least i. */
    public val min0:Long;
    /** Least j. */
    public val min1:Long;
    /** Least k. */
    public val min2:Long;
    /** Least l. */
    public val min3:Long;
    /** Greatest i. */
    public val max0:Long;
    /** Greatest j. */
    public val max1:Long;
    /** Greatest k. */
    public val max2:Long;
    /** Greatest l. */
    public val max3:Long;

    /** No points. */
    public static val EMPTY = new DenseIterationSpace_4(0, 0, 0, 0, -1, -1, -1, -1);

    /** From (min0, min1, min2, min3) to (max0, max1, max2, max3). */
    public def this(min0:Long, min1:Long, min2:Long, min3:Long, max0:Long, max1:Long, max2:Long, max3:Long) {
        super(4, true);
        this.min0 = min0; this.max0 = max0;
        this.min1 = min1; this.max1 = max1;
        this.min2 = min2; this.max2 = max2;
        this.min3 = min3; this.max3 = max3;
    }
    /** The least coordinate of axis i. */
    public def min(i:Long):Long = i == 0 ? min0 : (i == 1 ? min1 : (i == 2 ? min2 : (i == 3 ? min3 : noAxis(i))));
    /** The greatest coordinate of axis i. */
    public def max(i:Long):Long = i == 0 ? max0 : (i == 1 ? max1 : (i == 2 ? max2 : (i == 3 ? max3 : noAxis(i))));
    /** Whether there is no point. */
    public def isEmpty():Boolean = max0 < min0 || max1 < min1 || max2 < min2 || max3 < min3;
    /** How many points. */
    public def size():Long = product(product(extent(min0, max0), extent(min1, max1)), product(extent(min2, max2), extent(min3, max3)));
    /** Goes over the points, the last axis fastest. */
    public def iterator():Iterator[Point(4)] = new Points_4(this);
    /** The points, row by row: what loops use. */
    public def rows():Rows = new BoxRows(4, (i:Long)=>min(i), (i:Long)=>max(i));
    /** The bounds of each axis, in brackets. */
    public def toString():String = "[" + min0 + ".." + max0 + "," + min1 + ".." + max1 + "," + min2 + ".." + max2 + "," + min3 + ".." + max3 + "]";
}

final class Points_4 implements Iterator[Point(4)] {
    private val space:DenseIterationSpace_4;
    private var i:Long;
    private var j:Long;
    private var k:Long;
    private var l:Long;
    private var more:Boolean;

    def this(space:DenseIterationSpace_4) {
        this.space = space;
        i = space.min0;
        j = space.min1;
        k = space.min2;
        l = space.min3;
        more = !space.isEmpty();
    }

    public def hasNext():Boolean = more;
    public def next():Point(4) {
        val point = Point.make(i, j, k, l);
        if (l++ == space.max3) {
            l = space.min3;
            if (k++ == space.max2) {
                k = space.min2;
                if (j++ == space.max1) {
                    j = space.min1;
                    more = i++ != space.max0;
                }
            }
        }
        return point;
    }
}
