package x10.regionarray;

import x10.array.Rows;

/** All points of a rank. That of rank 0 has one point and so is bounded. */
final class FullRegion extends Region{rect} {
    def this(rank:Long):FullRegion{self.rank==rank} {
        super(rank, true, false);
        requireAxes(rank);
    }
    private def bounded(what:String):void {
        if (rank > 0) throw new UnboundedRegionException("no " + what + " of a region without bounds");
    }
    public def isConvex():Boolean = true;
    public def isEmpty():Boolean = false;
    public def size():Long {
        bounded("size");
        return 1;
    }
    public def indexOf(p:Point):Long {
        bounded("index");
        return p.rank == 0 ? 0 : -1;
    }
    public def min():(Long)=>Long = (i:Long)=>limit(i, Long.MIN_VALUE);
    public def max():(Long)=>Long = (i:Long)=>limit(i, Long.MAX_VALUE);
    private def limit(axis:Long, value:Long):Long {
        if (axis >= 0 && axis < rank) return value;
        throw noAxis(axis);
    }
    public def intersection(that:Region(rank)):Region(rank) = that;
    public def product(that:Region):Region{self!=null} {
        if (rank == 0 && that != null) return that;
        if (that.isEmpty()) return new EmptyRegion(rank + that.rank);
        if (that instanceof FullRegion) return new FullRegion(rank + that.rank);
        return PolyRegion.product(this, that);
    }
    public def projection(axis:Long):Region(1) {
        if (axis < 0 || axis >= rank) throw noAxis(axis);
        return new FullRegion(1) as Region(1);
    }
    public def translate(p:Point(rank)):Region(rank) = this;
    public def eliminate(axis:Long):Region {
        if (axis < 0 || axis >= rank) throw noAxis(axis);
        return new FullRegion(rank - 1);
    }
    protected def computeBoundingBox():Region(rank) = this;
    public def contains(that:Region(rank)):Boolean = true;
    protected def holds(p:Point):Boolean = p.rank == rank;
    public def iterator():Iterator[Point(rank)] {
        bounded("iterator");
        return new OnePoint() as Iterator[Point(rank)];
    }
    public def rows():Rows {
        bounded("iterator");
        return new UnitRows();
    }
    public def toString():String = "full(" + rank + ")";
}

/** The point of rank 0. */
final class OnePoint implements Iterator[Point] {
    private var done:Boolean = false;

    public def hasNext():Boolean = !done;
    public def next():Point {
        done = true;
        return Point.make(0, (i:Long)=>i);
    }
}

/** One row of the point of rank 0. */
final class UnitRows extends Rows {
    private var done:Boolean = false;

    def this() { super(0); }
    public def next():Boolean {
        val first = !done;
        done = true;
        return first;
    }
    public def coordinate(axis:Long):Long = 0;
}
