package x10.regionarray;

import x10.array.BoxRows;
import x10.array.DenseIterationSpace_1;
import x10.array.DenseIterationSpace_2;
import x10.array.DenseIterationSpace_3;
import x10.array.DenseIterationSpace_4;
import x10.array.Rows;

/** A box of rank at least 1: all points between two corners, both included. */
final class RectRegion extends Region{rect} {
    private val low:Rail[Long];
    private val high:Rail[Long];
    /** The number of points; -1 if it is no Long. */
    private val count:Long;
    /** From low to high, which are kept. */
    def this(low:Rail[Long], high:Rail[Long]):RectRegion{self.rank==low.size} {
        super(low, high, zeros(low));
        this.low = low; this.high = high;
        count = volume(low, high);
    }
    private static def zeros(low:Rail[Long]):Boolean {
        for (x in low) if (x != 0) return false;
        return true;
    }
    private static def volume(low:Rail[Long], high:Rail[Long]):Long {
        for (i in 0..(low.size - 1)) if (high(i) < low(i)) return 0;
        var volume:Long = 1;
        for (i in 0..(low.size - 1)) {
            val extent = high(i) - low(i) + 1;
            // The difference of two Longs may be no Long.
            if (extent <= 0 || volume > Long.MAX_VALUE / extent) return -1;
            volume *= extent;
        }
        return volume;
    }

    public def size():Long {
        if (count >= 0) return count;
        throw new UnboundedRegionException("more points than a Long can count");
    }
    public def isConvex():Boolean = true;
    public def isEmpty():Boolean = count == 0;

    public def indexOf(p:Point):Long {
        if (p.rank != rank || !contains(p)) return -1;
        var index:Long = 0;
        for (i in 0..(rank - 1)) index = index * (high(i) - low(i) + 1) + p(i) - low(i);
        return index;
    }
    public def indexOf(i0:Long):Long = rank == 1 && within(0, i0) ? i0 - low(0) : -1;
    public def indexOf(i0:Long, i1:Long):Long =
        rank == 2 && within(0, i0) && within(1, i1) ? (i0 - low(0)) * (high(1) - low(1) + 1) + i1 - low(1) : -1;

    protected def computeBoundingBox():Region(rank) = this;
    public def min():(Long)=>Long = (i:Long)=>min(i);
    public def max():(Long)=>Long = (i:Long)=>max(i);
    public def min(i:Long):Long {
        if (i < 0 || i >= rank) throw noAxis(i);
        return low(i);
    }
    public def max(i:Long):Long {
        if (i < 0 || i >= rank) throw noAxis(i);
        return high(i);
    }

    public def contains(that:Region(rank)):Boolean {
        if (that.isEmpty()) return true;
        if (that instanceof PolyRegion) return (that as PolyRegion).isWithin(low, high);
        for (i in 0..(rank - 1)) if (that.min(i) < low(i) || that.max(i) > high(i)) return false;
        return true;
    }
    private def within(axis:Long, i:Long):Boolean = Unsafe.get(low, axis) <= i && i <= Unsafe.get(high, axis);
    /** The same of an empty box and of more than four axes. */
    protected def holds(p:Point):Boolean {
        if (p.rank != rank || count == 0 || axes >= 0) return false;
        for (i in 0..(rank - 1)) if (!within(i, p(i))) return false;
        return true;
    }

    def halfSpaces():HalfSpaces = HalfSpaces.box(rank, min(), max());

    public def intersection(that:Region(rank)):Region(rank) {
        if (that.isEmpty()) return that;
        if (isEmpty() || that instanceof FullRegion) return this;
        if (!(that instanceof RectRegion)) return that.intersection(this as Region(that.rank)) as Region(rank);
        val other = that as RectRegion;
        val from = new Rail[Long](rank, (i:Long)=>Math.max(low(i), other.low(i)));
        val to = new Rail[Long](rank, (i:Long)=>Math.min(high(i), other.high(i)));
        for (i in 0..(rank - 1)) if (to(i) < from(i)) return new EmptyRegion(rank) as Region(rank);
        return new RectRegion(from, to) as Region(rank);
    }
    public def product(that:Region):Region{self!=null} {
        if (that.isEmpty() || isEmpty()) return new EmptyRegion(rank + that.rank);
        if (that.rank == 0) return this;
        if (!(that instanceof RectRegion)) return PolyRegion.product(this, that);
        val other = that as RectRegion;
        return new RectRegion(
            new Rail[Long](rank + other.rank, (i:Long)=>i < rank ? low(i) : other.low(i - rank)),
            new Rail[Long](rank + other.rank, (i:Long)=>i < rank ? high(i) : other.high(i - rank)));
    }
    public def translate(v:Point(rank)):Region(rank) = new RectRegion(
        new Rail[Long](rank, (i:Long)=>low(i) + v(i)),
        new Rail[Long](rank, (i:Long)=>high(i) + v(i))) as Region(rank);
    public def projection(axis:Long):Region(1) {
        if (axis < 0 || axis >= rank) throw noAxis(axis);
        // No point has a coordinate, whichever axis has none.
        if (isEmpty() && low(axis) <= high(axis)) return new EmptyRegion(1) as Region(1);
        return new RectRegion([low(axis)], [high(axis)]) as Region(1);
    }
    public def eliminate(axis:Long):Region {
        if (axis < 0 || axis >= rank) throw noAxis(axis);
        if (isEmpty()) return new EmptyRegion(rank - 1);
        if (rank == 1) return new FullRegion(0);
        return new RectRegion(
            new Rail[Long](rank - 1, (i:Long)=>low(i < axis ? i : i + 1)),
            new Rail[Long](rank - 1, (i:Long)=>high(i < axis ? i : i + 1)));
    }

    public def iterator():Iterator[Point(rank)] = points() as Iterator[Point(rank)];
    private def points():Iterator[Point] {
        if (rank == 1) return new DenseIterationSpace_1(low(0), high(0)).iterator();
        if (rank == 2) return new DenseIterationSpace_2(low(0), low(1), high(0), high(1)).iterator();
        if (rank == 3) return new DenseIterationSpace_3(low(0), low(1), low(2), high(0), high(1), high(2)).iterator();
        return rows().points();
    }
    public def rows():Rows = new BoxRows(rank, low, high);

    /** The range of each axis, in brackets. */
    public def toString():String {
        var text:String = "[";
        for (i in 0..(rank - 1)) text += (i > 0 ? "," : "") + low(i) + ".." + high(i);
        return text + "]";
    }
}
