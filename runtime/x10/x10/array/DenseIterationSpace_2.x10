package x10.array;

/** All points (i, j) of a rectangle, bounds included, j fastest. */
public final class DenseIterationSpace_2 extends IterationSpace(2){rect} {
    /** Least i. */
    public val min0:Long;
    /** Least j. */
    public val min1:Long;
    /** Greatest i. */
    public val max0:Long;
    /** Greatest j. */
    public val max1:Long;

    /** No points. */
    public static val EMPTY = new DenseIterationSpace_2(0, 0, -1, -1);

    /** From (min0, min1) to (max0, max1). */
    public def this(min0:Long, min1:Long, max0:Long, max1:Long) {
        super(2, true);
        this.min0 = min0; this.max0 = max0;
        this.min1 = min1; this.max1 = max1;
    }
    /** The space with a third axis, the fastest. */
    public operator this * (that:LongRange):DenseIterationSpace_3{self!=null} =
        new DenseIterationSpace_3(min0, min1, that.min, max0, max1, that.max);
    /** The least coordinate of axis i. */
    public def min(i:Long):Long = i == 0 ? min0 : (i == 1 ? min1 : noAxis(i));
    /** The greatest coordinate of axis i. */
    public def max(i:Long):Long = i == 0 ? max0 : (i == 1 ? max1 : noAxis(i));
    /** Whether there is no point. */
    public def isEmpty():Boolean = max0 < min0 || max1 < min1;
    /** How many points. */
    public def size():Long = product(extent(min0, max0), extent(min1, max1));
    /** Goes over the points, the last axis fastest. */
    public def iterator():Iterator[Point(2)] = new Points_2(this);
    /** The points, row by row: what loops use. */
    public def rows():Rows = new BoxRows(2, (i:Long)=>min(i), (i:Long)=>max(i));
    /** The bounds of each axis, in brackets. */
    public def toString():String = "[" + min0 + ".." + max0 + "," + min1 + ".." + max1 + "]";
}

final class Points_2 implements Iterator[Point(2)] {
    private val space:DenseIterationSpace_2;
    private var i:Long;
    private var j:Long;
    private var more:Boolean;

    def this(space:DenseIterationSpace_2) {
        this.space = space;
        i = space.min0;
        j = space.min1;
        more = !space.isEmpty();
    }

    public def hasNext():Boolean = more;
    public def next():Point(2) {
        val point = Point.make(i, j);
        if (j++ == space.max1) {
            j = space.min1;
            more = i++ != space.max0;
        }
        return point;
    }
}
