package x10.regionarray;

import x10.array.Rows;

/** A distribution: for each point of a region the place where it is. */
public abstract class Dist(region:Region) implements (Point(region.rank))=>Place, Iterable[Point(region.rank)] {
    /** The number of axes. */
    property rank():Long = region.rank;

    /** A distribution of that region. */
    protected def this(region:Region):Dist{self.region==region} { property(region); }

    /** A point of rank 1 for each place, at that place. */
    public static def makeUnique():Dist(1) = makeUnique(Place.places());
    /** A point of rank 1 for each place of the group, at that place. */
    public static def makeUnique(pg:PlaceGroup):Dist(1) = new UniqueDist(pg) as Dist(1);
    /** All points here. */
    public static def makeConstant(r:Region):Dist(r) = makeConstant(r, here);
    /** All points at p. */
    public static def makeConstant(r:Region, p:Place):Dist(r) = new ConstantDist(r, p) as Dist(r);
    /** All points here. */
    public static def make(r:Region):Dist(r) = makeConstant(r);
    /** Cut along axis into a block for each place of the group. */
    public static def makeBlock(r:Region, axis:Long, pg:PlaceGroup):Dist(r) = new BlockDist(r, axis, pg) as Dist(r);
    /** Cut along axis into a block for each place. */
    public static def makeBlock(r:Region, axis:Long):Dist(r) = makeBlock(r, axis, Place.places());
    /** Cut along axis 0 into a block for each place. */
    public static def makeBlock(r:Region):Dist(r) = makeBlock(r, 0, Place.places());
    /** Cut along both axes into a grid of blocks, one for each place of the group. */
    public static def makeBlockBlock(r:Region, axis0:Long, axis1:Long, pg:PlaceGroup):Dist(r) =
        new BlockBlockDist(r, axis0, axis1, pg) as Dist(r);
    /** Cut along both axes into a grid of blocks, one for each place. */
    public static def makeBlockBlock(r:Region, axis0:Long, axis1:Long):Dist(r) = makeBlockBlock(r, axis0, axis1, Place.places());
    /** Cut along axes 0 and 1 into a grid of blocks, one for each place. */
    public static def makeBlockBlock(r:Region):Dist(r) = makeBlockBlock(r, 0, 1, Place.places());

    /** The places; some may have no points. */
    public abstract def places():PlaceGroup;
    /** How many places. */
    public abstract def numPlaces():Long;
    /** The points of each place, in the order of places. */
    public abstract def regions():Iterable[Region(rank)];
    /** The points of p. */
    public abstract def get(p:Place):Region(rank);
    /** The points of p. */
    public operator this(p:Place):Region(rank) = get(p);
    /** Where pt is. */
    public abstract operator this(pt:Point(rank)):Place;
    /** Where (i0) is. */
    public operator this(i0:Long){rank==1}:Place = this(Point.make(i0) as Point(rank));
    /** Where (i0, i1) is. */
    public operator this(i0:Long, i1:Long){rank==2}:Place = this(Point.make(i0, i1) as Point(rank));
    /** Where (i0, i1, i2) is. */
    public operator this(i0:Long, i1:Long, i2:Long){rank==3}:Place = this(Point.make(i0, i1, i2) as Point(rank));
    /** Where (i0, i1, i2, i3) is. */
    public operator this(i0:Long, i1:Long, i2:Long, i3:Long){rank==4}:Place = this(Point.make(i0, i1, i2, i3) as Point(rank));

    /** Goes over the points of the region. */
    public def iterator():Iterator[Point(region.rank)] = region.iterator() as Iterator[Point(region.rank)];
    /** The points of the region, row by row: what loops use. */
    public def rows():Rows = region.rows();

    /** Only the points in r. */
    public abstract def restriction(r:Region(rank)):Dist(rank);
    /** Only the points at p. */
    public abstract def restriction(p:Place):Dist(rank);
    /** Only the points in r. */
    public operator this | (r:Region(this.rank)):Dist(this.rank) = restriction(r);
    /** Only the points at p. */
    public operator this | (p:Place):Dist(rank) = restriction(p);

    /** Whether that has all points of this, at the same places. */
    public def isSubdistribution(that:Dist(rank)):Boolean {
        for (p in places()) if (!that.get(p).contains(get(p) as Region(that.rank))) return false;
        return true;
    }
    /** Whether that is a distribution of the same points to the same places. */
    public def equals(thatObj:Any):Boolean {
        if (this == thatObj) return true;
        if (!(thatObj instanceof Dist)) return false;
        val that = thatObj as Dist;
        if (rank != that.rank || !region.equals(that.region)) return false;
        for (p in places()) if (!get(p).equals(that.get(p))) return false;
        return true;
    }
    /** A hash of the distribution. */
    public def hashCode():Int = region.hashCode();
    /** Whether p is in the region. */
    public def contains(p:Point):Boolean = region.contains(p);
    /** Whether p is in the region, and here. */
    public def containsLocally(p:Point):Boolean = contains(p) && get(here).contains(p);
    /** What keeps copies of the neighbours' borders up to date at this place. */
    public def getLocalGhostManager(ghostWidth:Long, periodic:Boolean):GhostManager {
        throw new UnsupportedOperationException(typeName() + ".getLocalGhostManager()");
    }
    /** The region of each place. */
    public def toString():String {
        var parts:String = "";
        var separator:String = "";
        for (p in places()) {
            parts += separator + get(p) + "->" + p.id;
            separator = ",";
        }
        return "Dist(" + parts + ")";
    }

    private static def lacks(point:String):ArrayIndexOutOfBoundsException =
        new ArrayIndexOutOfBoundsException("the distribution has no point " + point);
    /** Raises the exception for a point outside the distribution. */
    protected static def raiseBoundsError(i0:Long):void {
        throw lacks("(" + i0 + ")");
    }
    /** Raises the exception for a point outside the distribution. */
    protected static def raiseBoundsError(i0:Long, i1:Long):void {
        throw lacks("(" + i0 + ", " + i1 + ")");
    }
    /** Raises the exception for a point outside the distribution. */
    protected static def raiseBoundsError(i0:Long, i1:Long, i2:Long):void {
        throw lacks("(" + i0 + ", " + i1 + ", " + i2 + ")");
    }
    /** Raises the exception for a point outside the distribution. */
    protected static def raiseBoundsError(i0:Long, i1:Long, i2:Long, i3:Long):void {
        throw lacks("(" + i0 + ", " + i1 + ", " + i2 + ", " + i3 + ")");
    }
    /** Raises the exception for a point outside the distribution. */
    protected static def raiseBoundsError(pt:Point):void {
        throw lacks(pt.toString());
    }
}

/** The distributions of rank r. */
public type Dist(r:Long) = Dist{self.rank==r};
/** The distributions of region r. */
public type Dist(r:Region) = Dist{self.region==r};
/** The distribution d. */
public type Dist(d:Dist) = Dist{self==d};
