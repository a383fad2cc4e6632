package x10.regionarray;

import x10.array.Rows;
import x10.array.SinglePoints;
import x10.util.NoSuchElementException;

/** The region without points. */
final class EmptyRegion extends Region{rect} {
    def this(rank:Long):EmptyRegion{self.rank==rank} {
        super(rank, true, false);
        if (rank < 0) throw new IllegalArgumentException("Rank is negative (" + rank + ")");
    }
    public def isConvex():Boolean = true;
    public def isEmpty():Boolean = true;
    public def size():Long = 0;
    public def indexOf(p:Point):Long = -1;
    public def intersection(that:Region(rank)):Region(rank) = this;
    public def product(that:Region):Region{self!=null} = new EmptyRegion(rank + that.rank);
    public def projection(axis:Long):Region(1) = new EmptyRegion(1);
    public def translate(p:Point(rank)):Region(rank) = this;
    public def eliminate(axis:Long):Region = new EmptyRegion(rank - 1);
    protected def computeBoundingBox():Region(rank) {
        throw new IllegalOperationException("bounding box not not defined for empty region");
    }
    public def min():(Long)=>Long { throw new IllegalOperationException("min not not defined for empty region"); }
    public def max():(Long)=>Long { throw new IllegalOperationException("max not not defined for empty region"); }
    public def contains(that:Region(rank)):Boolean = that.isEmpty();
    public def contains(p:Point):Boolean = false;
    public def iterator():Iterator[Point(rank)] = new NoPoints() as Iterator[Point(rank)];
    public def rows():Rows = new SinglePoints(rank, new NoPoints());
    public def toString():String = "empty(" + rank + ")";
}

final class NoPoints implements Iterator[Point] {
    public def hasNext():Boolean = false;
    public def next():Point { throw new NoSuchElementException("there are no points"); }
}
