package x10.array;

/** All points (i, j, k) of a box, bounds included, k fastest. */
public final class DenseIterationSpace_3 extends IterationSpace(3){rect} {
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

    /** No points. */
    public static val EMPTY = new DenseIterationSpace_3(0, 0, 0, -1, -1, -1);

    /** From (min0, min1, min2) to (max0, max1, max2). */
    public def this(min0:Long, min1:Long, min2:Long, max0:Long, max1:Long, max2:Long) {
        super(3, true);
        this.min0 = min0; this.max0 = max0;
        this.min1 = min1; this.max1 = max1;
        this.min2 = min2; this.max2 = max2;
    }
    /** The space with a fourth axis, the fastest. */
    public operator this * (that:LongRange):DenseIterationSpace_4{self!=null} =
        new DenseIterationSpace_4(min0, min1, min2, that.min, max0, max1, max2, that.max);
    /** The least coordinate of axis i. */
    public def min(i:Long):Long = i == 0 ? min0 : (i == 1 ? min1 : (i == 2 ? min2 : noAxis(i)));
    /** The greatest coordinate of axis i. */
    public def max(i:Long):Long = i == 0 ? max0 : (i == 1 ? max1 : (i == 2 ? max2 : noAxis(i)));
    /** Whether there is no point. */
    public def isEmpty():Boolean = max0 < min0 || max1 < min1 || max2 < min2;
    /** How many points. */
    public def size():Long = product(product(extent(min0, max0), extent(min1, max1)), extent(min2, max2));
    /** Goes over the points, the last axis fastest. */
    public def iterator():Iterator[Point(3)] = new Points_3(this);
    /** The points, row by row: what loops use. */
    public def rows():Rows = new BoxRows(3, (i:Long)=>min(i), (i:Long)=>max(i));
    /** The bounds of each axis, in brackets. */
    public def toString():String = "[" + min0 + ".." + max0 + "," + min1 + ".." + max1 + "," + min2 + ".." + max2 + "]";
}

final class Points_3 implements Iterator[Point(3)] {
    private val space:DenseIterationSpace_3;
    private var i:Long;
    private var j:Long;
    private var k:Long;
    private var more:Boolean;

    def this(space:DenseIterationSpace_3) {
        this.space = space;
        i = space.min0;
        j = space.min1;
        k = space.min2;
        more = !space.isEmpty();
    }

    public def hasNext():Boolean = more;
    public def next():Point(3) {
        val point = Point.make(i, j, k);
        if (k++ == space.max2) {
            k = space.min2;
            if (j++ == space.max1) {
                j = space.min1;
                more = i++ != space.max0;
            }
        }
        return point;
    }
}
