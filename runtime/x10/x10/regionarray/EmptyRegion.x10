package x10.regionarray;

import x10.array.Rows;
import x10.array.SinglePoints;
import x10.util.NoSuchElementException;

/** The region without points. */
final class EmptyRegion extends Region{rect} {
    def this(axes:Long):EmptyRegion{self.rank==axes} {
        super(axes, true, false);
        requireAxes(axes);
    }

    // What it contains: no point, and of the regions those without points.
    public def size():Long = 0;
    public def isEmpty():Boolean = true;
    public def isConvex():Boolean = true;
    protected def holds(p:Point):Boolean = false;
    public def contains(that:Region(rank)):Boolean = that.isEmpty();
    public def indexOf(p:Point):Long = -1;
    public def rows():Rows = new SinglePoints(rank, new NoPoints());
    public def iterator():Iterator[Point(rank)] = new NoPoints() as Iterator[Point(rank)];

    // It has no corners.
    public def min():(Long)=>Long { throw lacks("least coordinates"); }
    public def max():(Long)=>Long { throw lacks("greatest coordinates"); }
    protected def computeBoundingBox():Region(rank) { throw lacks("a bounding box"); }
    private static def lacks(what:String):IllegalOperationException =
        new IllegalOperationException("an empty region lacks " + what);

    // What is made of it is empty too.
    private static def none(axes:Long):Region{self!=null} = new EmptyRegion(axes);
    public def translate(by:Point(rank)):Region(rank) = this;
    public def intersection(that:Region(rank)):Region(rank) = this;
    public def product(that:Region):Region{self!=null} = none(rank + that.rank);
    public def eliminate(axis:Long):Region {
        if (axis < 0 || axis >= rank) throw noAxis(axis);
        return none(rank - 1);
    }
    public def projection(axis:Long):Region(1) {
        if (axis < 0 || axis >= rank) throw noAxis(axis);
        return none(1) as Region(1);
    }

    public def toString():String = "empty(" + rank + ")";
}

final class NoPoints implements Iterator[Point] {
    public def hasNext():Boolean = false;
    public def next():Point { throw new NoSuchElementException("there are no points"); }
}
