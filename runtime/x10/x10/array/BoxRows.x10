package x10.array;

/** The rows of a box of any rank above zero. */
public final class BoxRows extends Rows {
    private val min:(Long)=>Long;
    private val max:(Long)=>Long;
    private val current:Rail[Long];
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
        low = min(rank - 1);
        high = max(rank - 1);
    }
    /** Goes to the next row; false if there is none. */
    public def next():Boolean {
        if (fresh) {
            fresh = false;
            note(current);
            return !empty;
        }
        for (var axis:Long = rank - 2; axis >= 0; axis--) {
            if (current(axis) < max(axis)) {
                current(axis)++;
                note(current);
                return true;
            }
            current(axis) = min(axis);
        }
        return false;
    }
    /** Coordinate axis of the row's points. */
    public def coordinate(axis:Long):Long = current(axis);
}
