package x10.regionarray;

import x10.array.Rows;
import x10.compiler.Cold;

/**
 * A set of points of one rank: the index sets of arrays and distributions. Regions do not change; their operations make new ones.
 * They iterate in lexicographic order.
 *
 * `rect`: a point is in the region if each coordinate is in that axis's range. `zeroBased`: all least coordinates are 0.
 * `rail`: rectangular and zero-based, of rank 1.
 */
public abstract class Region(rank:Long, rect:Boolean, zeroBased:Boolean, rail:Boolean) implements Iterable[Point(rank)] {
    // Of boxes with points and of one to four axes these are their number, the first coordinate of each and how many more there are (an
    // axis beyond the rank takes all). They lie here so that nobody needs to know the class to ask whether a point is in a box.
    val axes:Long;
    private val low0:Long;
    private val more0:ULong;
    private val low1:Long;
    private val more1:ULong;
    private val low2:Long;
    private val more2:ULong;
    private val low3:Long;
    private val more3:ULong;

    /** The number of axes. */
    public property rank():Long = rank;
    /** Whether the points fill a box. */
    public property rect():Boolean = rect;
    /** Whether all least coordinates are 0. */
    public property zeroBased():Boolean = zeroBased;
    /** Whether it is rectangular and zero-based, of rank 1. */
    public property rail():Boolean = rail;

    /** A region of rank r; t: rectangular; z: zero-based. */
    protected def this(r:Long, t:Boolean, z:Boolean):Region{self.rank==r,self.rect==t,self.zeroBased==z} {
        property(r, t, z, r == 1 && t && z);
        axes = -1;
        low0 = 0; more0 = 0ul;
        low1 = 0; more1 = 0ul;
        low2 = 0; more2 = 0ul;
        low3 = 0; more3 = 0ul;
    }
    /** The box from low to high; z: zero-based. */
    protected def this(low:Rail[Long], high:Rail[Long], z:Boolean):Region{self.rank==low.size,self.rect,self.zeroBased==z} {
        property(low.size, true, z, low.size == 1 && z);
        low0 = rank > 0 ? low(0) : 0; more0 = (rank > 0 ? high(0) - low0 : -1) as ULong;
        low1 = rank > 1 ? low(1) : 0; more1 = (rank > 1 ? high(1) - low1 : -1) as ULong;
        low2 = rank > 2 ? low(2) : 0; more2 = (rank > 2 ? high(2) - low2 : -1) as ULong;
        low3 = rank > 3 ? low(3) : 0; more3 = (rank > 3 ? high(3) - low3 : -1) as ULong;
        var empty:Boolean = false;
        for (i in 0..(rank - 1)) if (high(i) < low(i)) empty = true;
        axes = !empty && rank <= 4 ? rank : -1;
    }
    /** Raises the exception for a number of axes that no region has. */
    static def requireAxes(count:Long):void {
        if (count < 0) throw new IllegalArgumentException("a region of " + count + " axes");
    }
    /** The exception for an axis that the region lacks. */
    def noAxis(axis:Long):ArrayIndexOutOfBoundsException = new ArrayIndexOutOfBoundsException("no axis " + axis + " in " + this);

    /** The empty region. */
    public static def makeEmpty(rank:Long):Region(rank){self!=null,rect} = new EmptyRegion(rank);
    /** All points. */
    public static def makeFull(rank:Long):Region(rank){self!=null,rect} = new FullRegion(rank);
    /** The one point of rank 0. */
    public static def makeUnit():Region(0){self!=null,rect} = new FullRegion(0);
    /** The points p for which normal(0)*p(0) + normal(1)*p(1) + ... + k <= 0. */
    public static def makeHalfspace(normal:Point, k:Long):Region(normal.rank) {
        val row = new Rail[Long](normal.rank + 1, (i:Long)=>i < normal.rank ? normal(i) : k);
        return PolyRegion.make(HalfSpaces.of(normal.rank, [row])) as Region(normal.rank);
    }
    /** The box from minArg to maxArg, as an intersection of half-spaces; Long.MIN_VALUE and Long.MAX_VALUE are no bounds. */
    public static def makeRectangularPoly(minArg:Rail[Long], maxArg:Rail[Long]):Region(minArg.size) {
        if (minArg.size != maxArg.size)
            throw new IllegalArgumentException("corners of " + minArg.size + " and " + maxArg.size + " axes");
        return PolyRegion.make(HalfSpaces.box(minArg.size, (i:Long)=>minArg(i), (i:Long)=>maxArg(i))) as Region(minArg.size);
    }
    /** The box from minArg to maxArg, both included. */
    public static def makeRectangular(minArg:Rail[Long], maxArg:Rail[Long]):Region(minArg.size){self.rect} {
        if (minArg.size != maxArg.size)
            throw new IllegalArgumentException("corners of " + minArg.size + " and " + maxArg.size + " axes");
        return box(new Rail[Long](minArg), new Rail[Long](maxArg)) as Region(minArg.size){self.rect};
    }
    /** The box from low to high, which are kept; without axes the one point of rank 0. */
    private static def box(low:Rail[Long], high:Rail[Long]):Region {
        if (low.size == 0) return new FullRegion(0);
        return new RectRegion(low, high);
    }
    /** The box of these ranges. */
    public static def makeRectangular(ranges:Rail[IntRange]):Region(ranges.size){self.rect} =
        box(new Rail[Long](ranges.size, (i:Long)=>ranges(i).min as Long), new Rail[Long](ranges.size, (i:Long)=>ranges(i).max as Long))
            as Region(ranges.size){self.rect};
    /** The box of these ranges. */
    public static def makeRectangular(ranges:Rail[LongRange]):Region(ranges.size){self.rect} =
        box(new Rail[Long](ranges.size, (i:Long)=>ranges(i).min), new Rail[Long](ranges.size, (i:Long)=>ranges(i).max))
            as Region(ranges.size){self.rect};
    /** The box of these ranges. */
    public static def make(ranges:Rail[IntRange]):Region(ranges.size){self.rect} = makeRectangular(ranges);
    /** The box of these ranges. */
    public static def make(ranges:Rail[LongRange]):Region(ranges.size){self.rect} = makeRectangular(ranges);
    /** The points of rank 1 of this range. */
    public static def makeRectangular(r:IntRange):Region(1){self.rect} =
        new RectRegion([r.min as Long], [r.max as Long]) as Region(1){self.rect};
    /** The points of rank 1 of this range. */
    public static def make(r:IntRange):Region(1){self.rect} = makeRectangular(r);
    /** The points of rank 1 of this range. */
    public static def makeRectangular(r:LongRange):Region(1){self.rect} =
        new RectRegion([r.min], [r.max]) as Region(1){self.rect};
    /** The points of rank 1 of this range. */
    public static def make(r:LongRange):Region(1){self.rect} = makeRectangular(r);
    /** The box of these ranges. */
    public static def makeRectangular(r1:IntRange, r2:IntRange):Region(2){self.rect} =
        new RectRegion([r1.min as Long, r2.min as Long], [r1.max as Long, r2.max as Long]) as Region(2){self.rect};
    /** The box of these ranges. */
    public static def make(r1:IntRange, r2:IntRange):Region(2){self.rect} = makeRectangular(r1, r2);
    /** The box of these ranges. */
    public static def makeRectangular(r1:LongRange, r2:LongRange):Region(2){self.rect} =
        new RectRegion([r1.min, r2.min], [r1.max, r2.max]) as Region(2){self.rect};
    /** The box of these ranges. */
    public static def make(r1:LongRange, r2:LongRange):Region(2){self.rect} = makeRectangular(r1, r2);
    /** The box of these ranges. */
    public static def makeRectangular(r1:IntRange, r2:IntRange, r3:IntRange):Region(3){self.rect} =
        new RectRegion([r1.min as Long, r2.min as Long, r3.min as Long], [r1.max as Long, r2.max as Long, r3.max as Long]) as Region(3){self.rect};
    /** The box of these ranges. */
    public static def make(r1:IntRange, r2:IntRange, r3:IntRange):Region(3){self.rect} = makeRectangular(r1, r2, r3);
    /** The box of these ranges. */
    public static def makeRectangular(r1:LongRange, r2:LongRange, r3:LongRange):Region(3){self.rect} =
        new RectRegion([r1.min, r2.min, r3.min], [r1.max, r2.max, r3.max]) as Region(3){self.rect};
    /** The box of these ranges. */
    public static def make(r1:LongRange, r2:LongRange, r3:LongRange):Region(3){self.rect} = makeRectangular(r1, r2, r3);
    /** The box of these ranges. */
    public static def makeRectangular(r1:IntRange, r2:IntRange, r3:IntRange, r4:IntRange):Region(4){self.rect} =
        new RectRegion([r1.min as Long, r2.min as Long, r3.min as Long, r4.min as Long], [r1.max as Long, r2.max as Long, r3.max as Long, r4.max as Long]) as Region(4){self.rect};
    /** The box of these ranges. */
    public static def make(r1:IntRange, r2:IntRange, r3:IntRange, r4:IntRange):Region(4){self.rect} = makeRectangular(r1, r2, r3, r4);
    /** The box of these ranges. */
    public static def makeRectangular(r1:LongRange, r2:LongRange, r3:LongRange, r4:LongRange):Region(4){self.rect} =
        new RectRegion([r1.min, r2.min, r3.min, r4.min], [r1.max, r2.max, r3.max, r4.max]) as Region(4){self.rect};
    /** The box of these ranges. */
    public static def make(r1:LongRange, r2:LongRange, r3:LongRange, r4:LongRange):Region(4){self.rect} = makeRectangular(r1, r2, r3, r4);
    /** The points of rank 1 from min to max. */
    public static def makeRectangular(min:Long, max:Long):Region(1){self.rect} = new RectRegion([min], [max]) as Region(1){self.rect};
    /** The points of rank 1 from min to max. */
    public static def make(min:Long, max:Long):Region(1){self.rect} = makeRectangular(min, max);
    /** A band of a square of that size: the diagonal, upper-1 diagonals above and lower-1 below it. */
    public static def makeBanded(size:Long, upper:Long, lower:Long):Region(2) = PolyRegion.banded(size, upper, lower);
    /** The diagonal of a square of that size. */
    public static def makeBanded(size:Long):Region(2) = PolyRegion.banded(size, 1, 1);
    /** The points (i, j) of a square of that size with i <= j. */
    public static def makeUpperTriangular(size:Long):Region(2) = makeUpperTriangular(0, 0, size);
    /** The points (rowMin+i, colMin+j) with i <= j, both from 0 to size-1. */
    public static def makeUpperTriangular(rowMin:Long, colMin:Long, size:Long):Region(2) = PolyRegion.upperTriangular(rowMin, colMin, size);
    /** The points (i, j) of a square of that size with i >= j. */
    public static def makeLowerTriangular(size:Long):Region(2) = makeLowerTriangular(0, 0, size);
    /** The points (rowMin+i, colMin+j) with i >= j, both from 0 to size-1. */
    public static def makeLowerTriangular(rowMin:Long, colMin:Long, size:Long):Region(2) = PolyRegion.lowerTriangular(rowMin, colMin, size);

    /** How many points. */
    public abstract def size():Long;
    /** Whether each point of the space between two points of the region is in the region. */
    public abstract def isConvex():Boolean;
    /** Whether there is no point. */
    public abstract def isEmpty():Boolean;
    /** How many points come before p; -1 if p is not in the region. */
    public abstract def indexOf(p:Point):Long;
    /** How many points come before (i0); -1 if it is not in the region. */
    public def indexOf(i0:Long):Long = indexOf(Point.make(i0));
    /** How many points come before (i0, i1); -1 if it is not in the region. */
    public def indexOf(i0:Long, i1:Long):Long = indexOf(Point.make(i0, i1));
    /** How many points come before (i0, i1, i2); -1 if it is not in the region. */
    public def indexOf(i0:Long, i1:Long, i2:Long):Long = indexOf(Point.make(i0, i1, i2));
    /** How many points come before (i0, i1, i2, i3); -1 if it is not in the region. */
    public def indexOf(i0:Long, i1:Long, i2:Long, i3:Long):Long = indexOf(Point.make(i0, i1, i2, i3));

    /** The smallest rectangular region that contains this one. */
    public def boundingBox():Region(rank) = computeBoundingBox();
    /** Computes what boundingBox gives. */
    protected abstract def computeBoundingBox():Region(rank);
    /** The least coordinates of the bounding box, as a function of the axis. */
    public abstract def min():(Long)=>Long;
    /** The greatest coordinates of the bounding box, as a function of the axis. */
    public abstract def max():(Long)=>Long;
    /** The least coordinate of axis i. */
    public def min(i:Long):Long = min()(i);
    /** The greatest coordinate of axis i. */
    public def max(i:Long):Long = max()(i);
    /** The least corner of the bounding box. */
    public def minPoint():Point(this.rank) = Point.make(rank, min());
    /** The greatest corner of the bounding box. */
    public def maxPoint():Point(this.rank) = Point.make(rank, max());

    /** The points in both. */
    public abstract def intersection(that:Region(rank)):Region(rank);
    /** Whether no point is in both. */
    public def disjoint(that:Region(rank)):Boolean = intersection(that).isEmpty();
    /** The points whose first coordinates are a point of this and whose others are one of that. */
    public abstract def product(that:Region):Region{self!=null};
    /** The points p+v for the points p of this. */
    public abstract def translate(v:Point(rank)):Region(rank);
    /** The coordinates of the points on that axis. */
    public abstract def projection(axis:Long):Region(1);
    /** The points without that axis. */
    public abstract def eliminate(axis:Long):Region;
    /** Goes over the points in lexicographic order. */
    public abstract def iterator():Iterator[Point(rank)];
    /** The points, row by row: what loops use. */
    public def rows():Rows = new x10.array.SinglePoints(rank, iterator());

    /** The points in both. */
    public operator this && (that:Region(rank)):Region(rank) = intersection(that);
    /** The product. */
    public operator this * (that:Region):Region{self!=null} = product(that);
    /** This moved by v. */
    public operator this + (v:Point(rank)):Region(rank) = translate(v);
    /** This moved by v. */
    public operator (v:Point(rank)) + this:Region(rank) = translate(v);
    /** This moved by -v. */
    public operator this - (v:Point(rank)):Region(rank) = translate(-v);
    /** The distribution of the region that maps all points to p. */
    public operator this -> (p:Place):Dist(this) = Dist.makeConstant(this, p) as Dist(this);

    /** Whether that is a region of the same points. */
    public def equals(that:Any):Boolean {
        if (this == that) return true;
        if (!(that instanceof Region)) return false;
        val other = that as Region;
        if (rank != other.rank) return false;
        val same = other as Region(rank);
        return contains(same) && same.contains(this as Region(same.rank));
    }
    /** A hash of the region. */
    public def hashCode():Int {
        if (isEmpty()) return rank.hashCode();
        var hash:Int = rank.hashCode();
        for (i in 0..(rank - 1)) hash = (hash * 31n + min(i).hashCode()) * 31n + max(i).hashCode();
        return hash;
    }
    /** Whether all points of that are in this. */
    public abstract def contains(that:Region(rank)):Boolean;
    /** Whether p is in the region. */
    public def contains(p:Point):Boolean = p.rank == 2 && axes == 2 ? encloses(Unsafe.first(p), Unsafe.second(p))
        : containsMore(p.rank, Unsafe.first(p), Unsafe.second(p), Unsafe.third(p), Unsafe.fourth(p), Unsafe.more(p));
    // Of a point no more is asked than its parts, so that it may be in registers alone.
    private def containsMore(count:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):Boolean =
        count == axes ? encloses(c0, c1) && ((c2 - low2) as ULong) <= more2 && ((c3 - low3) as ULong) <= more3
            : holds(count, c0, c1, c2, c3, more);
    private def encloses(c0:Long, c1:Long):Boolean = ((c0 - low0) as ULong) <= more0 && ((c1 - low1) as ULong) <= more1;
    @Cold private def holds(count:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):Boolean =
        holds(Unsafe.point(count, c0, c1, c2, c3, more));
    /** What contains finds out where the region is no box, or its parts at this place do not describe it. */
    protected def holds(p:Point):Boolean { throw new UnsupportedOperationException(typeName() + ".contains(Point)"); }
    /** Whether (i) is in the region. */
    public def contains(i:Long){rank==1}:Boolean = contains(Point.make(i));
    /** Whether (i0, i1) is in the region. */
    public def contains(i0:Long, i1:Long){rank==2}:Boolean = contains(Point.make(i0, i1));
    /** Whether (i0, i1, i2) is in the region. */
    public def contains(i0:Long, i1:Long, i2:Long){rank==3}:Boolean = contains(Point.make(i0, i1, i2));
    /** Whether (i0, i1, i2, i3) is in the region. */
    public def contains(i0:Long, i1:Long, i2:Long, i3:Long){rank==4}:Boolean = contains(Point.make(i0, i1, i2, i3));
}

/** The regions of rank r. */
public type Region(r:Long) = Region{self.rank==r};
/** The region r. */
public type Region(r:Region) = Region{self==r};
