package x10.array;

import x10.util.StringBuilder;

/** An ordered set of points of one rank. `rect` says that the points fill a box: every space of this package does. */
public abstract class IterationSpace(rank:Long, rect:Boolean) implements Iterable[Point(this.rank)] {
    /** A space of this rank, a box or not. */
    protected def this(rank:Long, rect:Boolean) { property(rank, rect); }

    /** The points of rank 1 whose coordinate is in r. */
    public static operator (r:IntRange):IterationSpace{self.rank==1,self.rect} = new DenseIterationSpace_1(r.min, r.max);
    /** The points of rank 1 whose coordinate is in r. */
    public static operator (r:LongRange):IterationSpace{self.rank==1,self.rect} = new DenseIterationSpace_1(r.min, r.max);

    /** Goes over the points in lexicographic order. */
    public abstract def iterator():Iterator[Point(this.rank)];
    /** The points, row by row: what loops use. */
    public def rows():Rows = new SinglePoints(rank, iterator());
    /** The least coordinate of axis i. */
    public abstract def min(i:Long):Long;
    /** The greatest coordinate of axis i. */
    public abstract def max(i:Long):Long;
    /** Whether there is no point. */
    public abstract def isEmpty():Boolean;
    /** How many points; Long.MAX_VALUE if there are more. */
    public abstract def size():Long;
    /** The first points, in braces. */
    public def toString():String {
        val text = new StringBuilder();
        val points = iterator();
        text.add("{");
        for (var count:Long = 0; count < 10 && points.hasNext(); count++) {
            if (count > 0) text.add(", ");
            text.add(points.next().toString());
        }
        text.add(points.hasNext() ? ", ...}" : "}");
        return text.toString();
    }

    /** Raises the exception for an axis that the space lacks. */
    protected static def noAxis(i:Long):Long { throw new IllegalOperationException("no axis " + i); }
    /** How many numbers there are from min to max; Long.MAX_VALUE if there are more. */
    protected static def extent(min:Long, max:Long):Long = LongRange(min, max).size();
    /** The product of two sizes; Long.MAX_VALUE if it is more. */
    static def product(a:Long, b:Long):Long = b != 0 && a > Long.MAX_VALUE / b ? Long.MAX_VALUE : a * b;
}

/** The spaces of rank r. */
public type IterationSpace(r:Long) = IterationSpace{self.rank==r};
