package x10.array;

/** The rows of a box of any rank above zero. */
public final class BoxRows extends Rows {
    private val min:(Long)=>Long;
    private val max:(Long)=>Long;
    private val current:Rail[Long];
    // The first three of the current coordinates, which points of up to four axes take.
    private var c0:Long;
    private var c1:Long = 0;
    private var c2:Long = 0;
    private var fresh:Boolean = true;
    private val empty:Boolean;

    /** The rows of the points between min and max, bounds included. */
    public def this(rank:Long, min:(Long)=>Long, max:(Long)=>Long) {
        super(rank);
        this.min = min; this.max = max;
        current = new Rail[Long](rank, min);
        var none:Boolean = false;
        for (axis in 0..(rank - 1)) if (max(axis) < min(axis)) none = true;
        empty = none;
        c0 = current(0);
        if (rank > 1) c1 = current(1);
        if (rank > 2) c2 = current(2);
        low = min(rank - 1);
        high = max(rank - 1);
    }
    private def note() {
        c0 = current(0);
        if (rank > 1) c1 = current(1);
        if (rank > 2) c2 = current(2);
    }
    /** Goes to the next row; false if there is none. */
    public def next():Boolean {
        if (fresh) {
            fresh = false;
            return !empty;
        }
        for (var axis:Long = rank - 2; axis >= 0; axis--) {
            if (current(axis) < max(axis)) {
                current(axis)++;
                note();
                return true;
            }
            current(axis) = min(axis);
        }
        return false;
    }
    /** Coordinate axis of the row's points. */
    public def coordinate(axis:Long):Long = current(axis);
    /** The point of the row with that last coordinate. */
    public def point(last:Long):Point = Unsafe.point(rank, rank == 1 ? last : c0, rank == 2 ? last : c1, rank == 3 ? last : c2,
        rank == 4 ? last : 0, rank > 4 ? all(last) : null);
    /** All coordinates. */
    private def all(last:Long):Rail[Long] {
        val all = new Rail[Long](current);
        all(rank - 1) = last;
        return all;
    }
}
