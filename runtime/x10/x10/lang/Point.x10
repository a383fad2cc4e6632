package x10.lang;

/** A point of a space with `rank` axes. `for ([i, j] in space)` takes points apart. */
public final class Point(rank:Long) implements (Long)=>Long, Comparable[Point] {
    private val coordinates:Rail[Long];

    private def this(coordinates:Rail[Long]) {
        property(coordinates.size);
        this.coordinates = coordinates;
    }
    /** The point with these coordinates. */
    public static def make(coordinates:Rail[Long]):Point = new Point(new Rail[Long](coordinates));
    /** The point with the coordinates init(0) to init(rank-1). */
    public static def make(rank:Long, init:(Long)=>Long):Point = new Point(new Rail[Long](rank, init));
    /** A point of rank 1. */
    public static def make(i0:Long):Point{self.rank==1} = new Point([i0]) as Point{self.rank==1};
    /** A point of rank 2. */
    public static def make(i0:Long, i1:Long):Point{self.rank==2} = new Point([i0, i1]) as Point{self.rank==2};
    /** A point of rank 3. */
    public static def make(i0:Long, i1:Long, i2:Long):Point{self.rank==3} = new Point([i0, i1, i2]) as Point{self.rank==3};
    /** A rail literal is a point where one is expected. */
    public static operator (coordinates:Rail[Long]):Point = make(coordinates);

    /** Coordinate i. */
    public operator this(i:Long):Long = coordinates(i);
    /** The sum, axis by axis. */
    public operator this + (that:Point):Point = new Point(new Rail[Long](rank, (i:Long)=>this(i) + that(i)));
    /** The difference, axis by axis. */
    public operator this - (that:Point):Point = new Point(new Rail[Long](rank, (i:Long)=>this(i) - that(i)));
    /** The negative. */
    public operator - this:Point = new Point(new Rail[Long](rank, (i:Long)=>-this(i)));
    /** Lexicographic order. */
    public def compareTo(that:Point):Int {
        for (i in 0..(rank - 1)) if (this(i) != that(i)) return this(i) < that(i) ? -1n : 1n;
        return 0n;
    }
    /** Whether that is a point of the same coordinates. */
    public def equals(that:Any):Boolean = that instanceof Point && (that as Point).rank == rank && compareTo(that as Point) == 0n;
    /** A hash of the coordinates. */
    public def hashCode():Int {
        var hash:Int = 1n;
        for (c in coordinates) hash = hash * 31n + c.hashCode();
        return hash;
    }
    /** The coordinates in brackets. */
    public def toString():String = coordinates.toString(rank);
}
