package x10.array;

/** Rows of one point each, from an iterator. */
public final class SinglePoints extends Rows {
    private val iterator:Iterator[Point];
    private var current:Point = null;

    /** A row for each of the points, which have that rank above zero. */
    public def this(rank:Long, iterator:Iterator[Point]) {
        super(rank);
        this.iterator = iterator;
    }
    /** Goes to the next row; false if there is none. */
    public def next():Boolean {
        if (!iterator.hasNext()) return false;
        current = iterator.next();
        val rank = current.rank;
        if (rank > 1) c0 = current(0);
        if (rank > 2) c1 = current(1);
        if (rank > 3) c2 = current(2);
        low = current(rank - 1);
        high = low;
        return true;
    }
    /** Coordinate axis of the row's point. */
    public def coordinate(axis:Long):Long = current(axis);
}
