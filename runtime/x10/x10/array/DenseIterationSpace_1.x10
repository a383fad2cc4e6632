package x10.array;

/** All points (i) of an interval, bounds included. */
public final class DenseIterationSpace_1 extends IterationSpace(1){rect} {
    /** Least i. */
    public val min:Long;
    /** Greatest i. */
    public val max:Long;

    /** No points. */
    public static val EMPTY = new DenseIterationSpace_1(0, -1);

    /** From min to max. */
    public def this(min:Long, max:Long) {
        super(1, true);
        this.min = min; this.max = max;
    }
    /** The points of rank 1 whose coordinate is in r. */
    public static operator (r:LongRange):DenseIterationSpace_1{self!=null} = new DenseIterationSpace_1(r.min, r.max);
    /** The space with a second axis, the fastest. */
    public operator this * (that:LongRange):DenseIterationSpace_2{self!=null} =
        new DenseIterationSpace_2(min, that.min, max, that.max);
    /** The least coordinate of axis i. */
    public def min(i:Long):Long = i == 0 ? min : noAxis(i);
    /** The greatest coordinate of axis i. */
    public def max(i:Long):Long = i == 0 ? max : noAxis(i);
    /** Whether there is no point. */
    public def isEmpty():Boolean = max < min;
    /** How many points. */
    public def size():Long = extent(min, max);
    /** Goes over the points, the last axis fastest. */
    public def iterator():Iterator[Point(1)] = new Points_1(this);
    /** The points, row by row: what loops use. */
    public def rows():Rows = new BoxRows(1, (i:Long)=>min(i), (i:Long)=>max(i));
    /** The bounds of each axis, in brackets. */
    public def toString():String = "[" + min + ".." + max + "]";
}

final class Points_1 implements Iterator[Point(1)] {
    private val space:DenseIterationSpace_1;
    private var i:Long;
    private var more:Boolean;

    def this(space:DenseIterationSpace_1) {
        this.space = space;
        i = space.min;
        more = !space.isEmpty();
    }

    public def hasNext():Boolean = more;
    public def next():Point(1) {
        val point = Point.make(i);
        more = i++ != space.max;
        return point;
    }
}
