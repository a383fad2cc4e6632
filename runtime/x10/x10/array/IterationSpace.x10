package x10.array;

/** An ordered set of points of one rank. */
public abstract class IterationSpace(rank:Long) implements Iterable[Point] {
    /** A space of this rank. */
    protected def this(rank:Long) { property(rank); }
    /** How many points. */
    public abstract def size():Long;
    /** The least coordinate of axis i. */
    public abstract def min(i:Long):Long;
    /** The greatest coordinate of axis i. */
    public abstract def max(i:Long):Long;
}
