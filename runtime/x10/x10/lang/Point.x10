package x10.lang;

import x10.util.Ordered;

/**
 * A point of a space with `rank` axes: that many Longs. `for ([i, j] in space)` takes points apart.
 * Arithmetic goes axis by axis; points are ordered lexicographically.
 */
public final class Point(rank:Long) implements (Long)=>Long, Ordered[Point(rank)], Comparable[Point(rank)] {
    // Up to four coordinates lie in the point itself; those beyond the rank mean nothing.
    val c0:Long;
    val c1:Long;
    val c2:Long;
    val c3:Long;
    val more:Rail[Long];

    /** Keeps more, which has all coordinates, if the rank is above four; else it is null. */
    def this(rank:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):Point(rank) {
        property(rank);
        this.c0 = c0; this.c1 = c1; this.c2 = c2; this.c3 = c3;
        this.more = more;
    }
    /** op of each coordinate of a point of more than four axes. */
    private static def each(a:Rail[Long], op:(Long)=>Long):Rail[Long] = new Rail[Long](a.size, (i:Long)=>op(a(i)));
    /** op of the coordinates of two points of more than four axes, axis by axis. */
    private static def each(a:Rail[Long], b:Rail[Long], op:(Long,Long)=>Long):Rail[Long] = new Rail[Long](a.size, (i:Long)=>op(a(i), b(i)));

    /** The point with these coordinates. */
    public static def make(r:Rail[Int]):Point(r.size) = make(r.size, (i:Long)=>r(i) as Long) as Point(r.size);
    /** The point with these coordinates. */
    public static def make(r:Rail[Long]):Point(r.size) = make(r.size, (i:Long)=>r(i)) as Point(r.size);
    /** The point with the coordinates init(0) to init(rank-1). */
    public static def make(rank:Long, init:(i:Long)=>Long):Point(rank) {
        if (rank < 0) throw new NegativeArraySizeException("a point of rank " + rank);
        if (rank > 4) {
            val all = new Rail[Long](rank, init);
            return new Point(rank, all(0), all(1), all(2), all(3), all);
        }
        return new Point(rank, rank > 0 ? init(0) : 0, rank > 1 ? init(1) : 0, rank > 2 ? init(2) : 0, rank > 3 ? init(3) : 0, null);
    }
    /** A point of rank 1. */
    public static def make(i0:Int):Point(1) = make(i0 as Long);
    /** A point of rank 2. */
    public static def make(i0:Int, i1:Int):Point(2) = make(i0 as Long, i1 as Long);
    /** A point of rank 3. */
    public static def make(i0:Int, i1:Int, i2:Int):Point(3) = make(i0 as Long, i1 as Long, i2 as Long);
    /** A point of rank 4. */
    public static def make(i0:Int, i1:Int, i2:Int, i3:Int):Point(4) = make(i0 as Long, i1 as Long, i2 as Long, i3 as Long);
    /** A point of rank 1. */
    public static def make(i0:Long):Point(1) = new Point(1, i0, 0, 0, 0, null);
    /** A point of rank 2. */
    public static def make(i0:Long, i1:Long):Point(2) = new Point(2, i0, i1, 0, 0, null);
    /** A point of rank 3. */
    public static def make(i0:Long, i1:Long, i2:Long):Point(3) = new Point(3, i0, i1, i2, 0, null);
    /** A point of rank 4. */
    public static def make(i0:Long, i1:Long, i2:Long, i3:Long):Point(4) = new Point(4, i0, i1, i2, i3, null);
    /** A rail is a point where one is expected. */
    public static operator (r:Rail[Long]):Point(r.size) = make(r);
    /** A rail is a point where one is expected. */
    public static operator (r:Rail[Int]):Point(r.size) = make(r);

    /** Coordinate i. */
    public operator this(i:Long):Long {
        if ((i as ULong) >= (rank as ULong)) return noAxis(i, rank);
        if (i == 0) return c0;
        if (i == 1) return c1;
        if (rank > 4) return more(i);
        return i == 2 ? c2 : c3;
    }
    // What is passed is not the point itself, which may then be in registers alone.
    private static def noAxis(i:Long, rank:Long):Long {
        throw new ArrayIndexOutOfBoundsException("index " + i + " of a point of rank " + rank);
    }
    /** The coordinates, as a function of the axis. */
    public def coords():(Long)=>Long = (i:Long)=>this(i);

    /** This point. */
    public operator + this:Point(rank) = this;
    /** The negative. */
    public operator - this:Point(rank) =
        new Point(rank, -c0, -c1, -c2, -c3,
            more == null ? null : each(more, (x:Long)=>-x));
    /** The sum, axis by axis. */
    public operator this + (that:Point(rank)):Point(rank) =
        new Point(rank, c0 + that.c0, c1 + that.c1, c2 + that.c2, c3 + that.c3,
            more == null ? null : each(more, that.more, (x:Long, y:Long)=>x + y));
    /** The difference, axis by axis. */
    public operator this - (that:Point(rank)):Point(rank) =
        new Point(rank, c0 - that.c0, c1 - that.c1, c2 - that.c2, c3 - that.c3,
            more == null ? null : each(more, that.more, (x:Long, y:Long)=>x - y));
    /** The product, axis by axis. */
    public operator this * (that:Point(rank)):Point(rank) =
        new Point(rank, c0 * that.c0, c1 * that.c1, c2 * that.c2, c3 * that.c3,
            more == null ? null : each(more, that.more, (x:Long, y:Long)=>x * y));
    /** The quotient, axis by axis. */
    public operator this / (that:Point(rank)):Point(rank) =
        new Point(rank, rank > 0 ? c0 / that.c0 : 0, rank > 1 ? c1 / that.c1 : 0, rank > 2 ? c2 / that.c2 : 0, rank > 3 ? c3 / that.c3 : 0,
            more == null ? null : each(more, that.more, (x:Long, y:Long)=>x / y));
    /** Adds c on each axis. */
    public operator this + (c:Long):Point(rank) =
        new Point(rank, c0 + c, c1 + c, c2 + c, c3 + c,
            more == null ? null : each(more, (x:Long)=>x + c));
    /** Subtracts c on each axis. */
    public operator this - (c:Long):Point(rank) =
        new Point(rank, c0 - c, c1 - c, c2 - c, c3 - c,
            more == null ? null : each(more, (x:Long)=>x - c));
    /** Multiplies by c on each axis. */
    public operator this * (c:Long):Point(rank) =
        new Point(rank, c0 * c, c1 * c, c2 * c, c3 * c,
            more == null ? null : each(more, (x:Long)=>x * c));
    /** Divides by c on each axis. */
    public operator this / (c:Long):Point(rank) =
        new Point(rank, rank > 0 ? c0 / c : 0, rank > 1 ? c1 / c : 0, rank > 2 ? c2 / c : 0, rank > 3 ? c3 / c : 0,
            more == null ? null : each(more, (x:Long)=>x / c));
    /** Adds to c on each axis. */
    public operator (c:Long) + this:Point(rank) =
        new Point(rank, c + c0, c + c1, c + c2, c + c3,
            more == null ? null : each(more, (x:Long)=>c + x));
    /** Subtracts from c on each axis. */
    public operator (c:Long) - this:Point(rank) =
        new Point(rank, c - c0, c - c1, c - c2, c - c3,
            more == null ? null : each(more, (x:Long)=>c - x));
    /** Multiplies c on each axis. */
    public operator (c:Long) * this:Point(rank) =
        new Point(rank, c * c0, c * c1, c * c2, c * c3,
            more == null ? null : each(more, (x:Long)=>c * x));
    /** Divides c on each axis. */
    public operator (c:Long) / this:Point(rank) =
        new Point(rank, rank > 0 ? c / c0 : 0, rank > 1 ? c / c1 : 0, rank > 2 ? c / c2 : 0, rank > 3 ? c / c3 : 0,
            more == null ? null : each(more, (x:Long)=>c / x));

    /** Negative, zero or positive as this is before, equal to or after that in lexicographic order. */
    public def compareTo(that:Point(rank)):Int {
        for (i in 0..(rank - 1)) {
            if (this(i) != that(i)) return this(i) < that(i) ? -1n : 1n;
        }
        return 0n;
    }
    /** Whether this comes before that in lexicographic order. */
    public operator this < (that:Point(rank)):Boolean = compareTo(that) < 0n;
    /** Whether this comes after that in lexicographic order. */
    public operator this > (that:Point(rank)):Boolean = compareTo(that) > 0n;
    /** Whether this does not come after that in lexicographic order. */
    public operator this <= (that:Point(rank)):Boolean = compareTo(that) <= 0n;
    /** Whether this does not come before that in lexicographic order. */
    public operator this >= (that:Point(rank)):Boolean = compareTo(that) >= 0n;

    /** Whether other is a point of the same coordinates. */
    public def equals(other:Any):Boolean {
        if (!(other instanceof Point)) return false;
        val that = other as Point;
        if (that.rank != rank) return false;
        for (i in 0..(rank - 1)) if (this(i) != that(i)) return false;
        return true;
    }
    /** A hash of the coordinates. */
    public def hashCode():Int {
        var hash:Int = 1n;
        for (i in 0..(rank - 1)) hash = hash * 31n + this(i).hashCode();
        return hash;
    }
    /** The coordinates in brackets. */
    public def toString():String {
        var text:String = "[";
        for (i in 0..(rank - 1)) text += (i > 0 ? "," : "") + this(i);
        return text + "]";
    }
}

/** The points of rank r. */
public type Point(r:Long) = Point{self.rank==r};
