package x10.array;

/**
 * What a loop over points goes through: rows of points that differ in the last axis alone, in lexicographic order. Such a loop counts
 * along a row, and calls a method once a row only.
 */
public abstract class Rows {
    /** The number of axes. */
    public val rank:Long;
    /** The last coordinate of the row's first point. */
    public var low:Long = 0;
    /** The last coordinate of the row's last point; not less than low. */
    public var high:Long = 0;
    // The first three coordinates of the row's points as far as they come before the last one; others mean nothing.
    protected var c0:Long = 0;
    protected var c1:Long = 0;
    protected var c2:Long = 0;

    /** Rows of points with that many axes. */
    protected def this(rank:Long) { this.rank = rank; }

    /** Goes to the next row; false if there is none. */
    public abstract def next():Boolean;
    /** Coordinate axis, which is not the last, of the row's points. */
    public abstract def coordinate(axis:Long):Long;
    /** The point of the row with that last coordinate. */
    public final def point(last:Long):Point = Unsafe.point(rank, rank == 1 ? last : c0, rank == 2 ? last : c1, rank == 3 ? last : c2,
        last, rank > 4 ? all(last) : null);
    /** All coordinates of that point. */
    private def all(last:Long):Rail[Long] = new Rail[Long](rank, (i:Long)=>i == rank - 1 ? last : coordinate(i));
    /** Takes the first three coordinates from those given. */
    protected final def note(coordinates:Rail[Long]):void {
        if (rank > 1) c0 = coordinates(0);
        if (rank > 2) c1 = coordinates(1);
        if (rank > 3) c2 = coordinates(2);
    }

    /** The points of the rows, one by one. */
    public final def points():Iterator[Point] = new RowPoints(this);
}

/** The points of rows. */
final class RowPoints implements Iterator[Point] {
    private val rows:Rows;
    private var more:Boolean;
    private var last:Long = 0;

    def this(rows:Rows) {
        this.rows = rows;
        more = rows.next();
        if (more) last = rows.low;
    }
    public def hasNext():Boolean = more;
    public def next():Point {
        if (!more) throw new x10.util.NoSuchElementException("there are no more points");
        val point = rows.point(last);
        if (last < rows.high) {
            last++;
        } else {
            more = rows.next();
            if (more) last = rows.low;
        }
        return point;
    }
}
