package x10.regionarray;

import x10.array.Rows;

/** The points of an intersection of half-spaces, bounded or not. */
final class PolyRegion extends Region {
    private val spaces:HalfSpaces;
    /** The number of points; -1: not counted yet. */
    private var count:Long = -1;
    /** Least and greatest coordinate of each axis; null: not computed yet. */
    private var limits:Rail[Long] = null;

    private def this(spaces:HalfSpaces) {
        super(spaces.rank, spaces.isRect(), isZeroBased(spaces));
        this.spaces = spaces;
    }
    private static def isZeroBased(spaces:HalfSpaces):Boolean {
        val x = new Rail[Long](spaces.rank);
        if (!spaces.isRect()) return false;
        for (axis in 0..(spaces.rank - 1)) if (spaces.least(axis, x) != 0) return false;
        return true;
    }
    /** The region of these half-spaces. */
    static def make(spaces:HalfSpaces):Region{self!=null} {
        if (spaces.isContradictory()) return new EmptyRegion(spaces.rank);
        if (spaces.rank == 0) return new FullRegion(0);
        return new PolyRegion(spaces.simplified());
    }
    static def banded(size:Long, upper:Long, lower:Long):Region(2) {
        val last = size - 1;
        return make(HalfSpaces.box(2, (i:Long)=>0, (i:Long)=>last).and([1, -1, 1 - lower]).and([-1, 1, 1 - upper])) as Region(2);
    }
    static def upperTriangular(rowMin:Long, colMin:Long, size:Long):Region(2) = make(
        square(rowMin, colMin, size).and([1, -1, colMin - rowMin])) as Region(2);
    static def lowerTriangular(rowMin:Long, colMin:Long, size:Long):Region(2) = make(
        square(rowMin, colMin, size).and([-1, 1, rowMin - colMin])) as Region(2);
    private static def square(rowMin:Long, colMin:Long, size:Long):HalfSpaces =
        HalfSpaces.box(2, (i:Long)=>i == 0 ? rowMin : colMin, (i:Long)=>(i == 0 ? rowMin : colMin) + size - 1);
    /** The half-spaces of any region that is not empty. */
    static def spacesOf(region:Region):HalfSpaces {
        if (region instanceof PolyRegion) return (region as PolyRegion).spaces;
        return HalfSpaces.box(region.rank, region.min(), region.max());
    }
    static def product(first:Region, second:Region):Region{self!=null} =
        make(spacesOf(first).embedded(0, second.rank).and(spacesOf(second).embedded(first.rank, 0)));

    public def isConvex():Boolean = true;
    public def size():Long {
        if (count < 0) {
            var sum:Long = 0;
            val rows = rows();
            while (rows.next()) sum += rows.high - rows.low + 1;
            count = sum;
        }
        return count;
    }
    public def isEmpty():Boolean {
        if (count >= 0) return count == 0;
        // What has no bound and contradicts nothing has points; else there may be fractions only.
        for (axis in 0..(rank - 1)) if (least(axis) == Long.MIN_VALUE || greatest(axis) == Long.MAX_VALUE) return false;
        return !rows().next();
    }
    public def indexOf(p:Point):Long {
        if (!contains(p)) return -1;
        var index:Long = 0;
        val rows = rows();
        while (rows.next()) {
            var found:Boolean = true;
            for (axis in 0..(rank - 2)) if (rows.coordinate(axis) != p(axis)) found = false;
            if (found) return index + p(rank - 1) - rows.low;
            index += rows.high - rows.low + 1;
        }
        return -1;
    }

    private def least(axis:Long):Long = limits()(2 * axis);
    private def greatest(axis:Long):Long = limits()(2 * axis + 1);
    private def limits():Rail[Long] {
        if (limits == null) {
            val found = new Rail[Long](2 * rank);
            val x = new Rail[Long](rank);
            var bounded:Boolean = true;
            for (axis in 0..(rank - 1)) {
                val alone = spaces.only(axis);
                found(2 * axis) = alone.least(axis, x);
                found(2 * axis + 1) = alone.greatest(axis, x);
                bounded &= found(2 * axis) != Long.MIN_VALUE && found(2 * axis + 1) != Long.MAX_VALUE;
            }
            if (bounded && !spaces.isDifferenceSystem()) tighten(found);
            limits = found;
        }
        return limits;
    }
    /** Of bounds of all points, those of the points without fractions. */
    private def tighten(bounds:Rail[Long]):void {
        val rows = new PolyRows(spaces);
        if (!rows.next()) return;
        for (axis in 0..(rank - 1)) {
            bounds(2 * axis) = Long.MAX_VALUE;
            bounds(2 * axis + 1) = Long.MIN_VALUE;
        }
        do {
            for (axis in 0..(rank - 1)) {
                bounds(2 * axis) = Math.min(bounds(2 * axis), axis == rank - 1 ? rows.low : rows.coordinate(axis));
                bounds(2 * axis + 1) = Math.max(bounds(2 * axis + 1), axis == rank - 1 ? rows.high : rows.coordinate(axis));
            }
        } while (rows.next());
    }
    /** Whether all points are in a box. */
    def isWithin(low:Rail[Long], high:Rail[Long]):Boolean {
        for (axis in 0..(rank - 1)) if (least(axis) < low(axis) || greatest(axis) > high(axis)) return false;
        return true;
    }
    /** As that of a box; an axis without a bound has the least or greatest Long. */
    public def hashCode():Int {
        if (isEmpty()) return rank.hashCode();
        var hash:Int = rank.hashCode();
        for (axis in 0..(rank - 1)) hash = (hash * 31n + least(axis).hashCode()) * 31n + greatest(axis).hashCode();
        return hash;
    }
    public def min():(Long)=>Long = (axis:Long)=>min(axis);
    public def max():(Long)=>Long = (axis:Long)=>max(axis);
    public def min(axis:Long):Long {
        val least = least(axis);
        if (least == Long.MIN_VALUE) throw new UnboundedRegionException("axis " + axis + " is unbounded below");
        return least;
    }
    public def max(axis:Long):Long {
        val greatest = greatest(axis);
        if (greatest == Long.MAX_VALUE) throw new UnboundedRegionException("axis " + axis + " is unbounded above");
        return greatest;
    }
    private def requireBounds():void {
        for (axis in 0..(rank - 1)) {
            min(axis);
            max(axis);
        }
    }
    protected def computeBoundingBox():Region(rank) =
        new RectRegion(new Rail[Long](rank, min()), new Rail[Long](rank, max())) as Region(rank);

    public def contains(that:Region(rank)):Boolean {
        if (that.isEmpty()) return true;
        val theirs = spacesOf(that);
        for (row in spaces.rows) if (!PolyRegion.make(theirs.and(HalfSpaces.complement(row))).isEmpty()) return false;
        return true;
    }
    protected def holds(p:Point):Boolean = p.rank == rank && spaces.contains(p);
    public def intersection(that:Region(rank)):Region(rank) {
        if (that.isEmpty()) return that;
        return make(spaces.and(spacesOf(that))) as Region(rank);
    }
    public def product(that:Region):Region{self!=null} {
        if (that.isEmpty()) return new EmptyRegion(rank + that.rank);
        return PolyRegion.product(this, that);
    }
    public def translate(v:Point(rank)):Region(rank) = make(spaces.translated(v)) as Region(rank);
    public def projection(axis:Long):Region(1) {
        if (axis < 0 || axis >= rank) throw noAxis(axis);
        if (isEmpty()) return new EmptyRegion(1) as Region(1);
        return make(HalfSpaces.box(1, (i:Long)=>least(axis), (i:Long)=>greatest(axis))) as Region(1);
    }
    public def eliminate(axis:Long):Region {
        if (axis < 0 || axis >= rank) throw noAxis(axis);
        if (isEmpty()) return new EmptyRegion(rank - 1);
        return make(spaces.eliminate(axis).dropped(axis));
    }

    public def iterator():Iterator[Point(rank)] = rows().points() as Iterator[Point(rank)];
    public def rows():Rows {
        requireBounds();
        return new PolyRows(spaces);
    }
    /** The inequalities. */
    public def toString():String = spaces.toString();
}

/** The rows of a bounded intersection of half-spaces. */
final class PolyRows extends Rows {
    /** For each axis what is known of it and those before it. */
    private val stages:Rail[HalfSpaces];
    private val current:Rail[Long];
    private val last:Rail[Long];
    private var fresh:Boolean = true;

    def this(spaces:HalfSpaces) {
        super(spaces.rank);
        stages = new Rail[HalfSpaces](rank);
        var stage:HalfSpaces = spaces;
        for (var axis:Long = rank - 1; axis >= 0; axis--) {
            stages(axis) = stage;
            stage = stage.eliminate(axis);
        }
        current = new Rail[Long](rank);
        last = new Rail[Long](rank);
    }
    private def open(axis:Long):void {
        current(axis) = stages(axis).least(axis, current);
        last(axis) = stages(axis).greatest(axis, current);
    }
    public def next():Boolean {
        var axis:Long = 0;
        if (fresh) {
            fresh = false;
            open(0);
        } else {
            axis = rank - 2;
            if (axis >= 0) current(axis)++;
        }
        // The coordinates before axis fit; the one of axis is tried.
        while (axis >= 0) {
            if (current(axis) > last(axis)) {
                axis--;
                if (axis >= 0) current(axis)++;
            } else if (axis == rank - 1) {
                note(current);
                low = current(axis);
                high = last(axis);
                return true;
            } else {
                axis++;
                open(axis);
            }
        }
        return false;
    }
    public def coordinate(axis:Long):Long = current(axis);
}
