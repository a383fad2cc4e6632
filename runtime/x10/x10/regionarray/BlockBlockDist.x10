package x10.regionarray;

import x10.compiler.Volatile;
import x10.array.BlockingUtils;
import x10.array.DenseIterationSpace_2;

/** A region cut along two axes into a grid of blocks, one for each place of a group. */
final class BlockBlockDist extends Dist {
    private val axis0:Long;
    private val axis1:Long;
    private val pg:PlaceGroup;
    /** The two axes of the bounding box. */
    private val plane:DenseIterationSpace_2;
    /** The points of this place, once they were computed. */
    @Volatile private transient var local:Region = null;

    def this(r:Region, axis0:Long, axis1:Long, pg:PlaceGroup):BlockBlockDist{self.region==r} {
        super(r);
        if (axis0 < 0 || axis0 >= r.rank) throw new IllegalArgumentException("there is no axis " + axis0 + " in " + r);
        if (axis1 < 0 || axis1 >= r.rank || axis1 == axis0)
            throw new IllegalArgumentException("there is no other axis " + axis1 + " in " + r);
        this.axis0 = axis0; this.axis1 = axis1; this.pg = pg;
        plane = r.isEmpty() ? DenseIterationSpace_2.EMPTY
            : new DenseIterationSpace_2(r.min(axis0), r.min(axis1), r.max(axis0), r.max(axis1));
    }
    /** The first axis that is cut. */
    def axis0():Long = axis0;
    /** The second axis that is cut. */
    def axis1():Long = axis1;
    /** Into how many blocks the first axis is cut. */
    def gridRows():Long = BlockingUtils.gridRows(plane.max0 - plane.min0 + 1, plane.max1 - plane.min1 + 1, pg.numPlaces());

    public def places():PlaceGroup = pg;
    public def numPlaces():Long = pg.numPlaces();
    public def regions():Iterable[Region(rank)] = new Rail[Region(rank)](pg.numPlaces(), (i:Long)=>block(i) as Region(rank));
    private def block(index:Long):Region {
        val part = BlockingUtils.partitionBlockBlock(plane, pg.numPlaces(), index);
        if (part.isEmpty()) return Region.makeEmpty(rank);
        val box = Region.makeRectangular(
            new Rail[Long](rank, (i:Long)=>i == axis0 ? part.min0 : (i == axis1 ? part.min1 : region.min(i))),
            new Rail[Long](rank, (i:Long)=>i == axis0 ? part.max0 : (i == axis1 ? part.max1 : region.max(i))));
        return region.rect ? box : region.intersection(box as Region(region.rank));
    }
    public def get(p:Place):Region(rank) {
        val index = pg.indexOf(p);
        if (index < 0) return Region.makeEmpty(rank);
        if (p != here) return block(index) as Region(rank);
        // Several activities may find the same.
        val known = local;
        if (known != null) return known as Region(rank);
        val made = block(index);
        local = made;
        return made as Region(rank);
    }
    public def containsLocally(p:Point):Boolean = get(here).contains(p);

    private def placeOf(i:Long, j:Long):Place = pg(BlockingUtils.mapIndexToBlockBlockPartition(plane, pg.numPlaces(), i, j));
    public operator this(pt:Point(rank)):Place {
        if (!region.contains(pt)) raiseBoundsError(pt);
        return placeOf(pt(axis0), pt(axis1));
    }
    public operator this(i0:Long, i1:Long){rank==2}:Place {
        if (!region.contains(i0, i1)) raiseBoundsError(i0, i1);
        return axis0 == 0 ? placeOf(i0, i1) : placeOf(i1, i0);
    }
    public def restriction(r:Region(rank)):Dist(rank) = new RegionRestriction(this, r) as Dist(rank);
    public def restriction(p:Place):Dist(rank) = new PlaceRestriction(this, p) as Dist(rank);
    public def getLocalGhostManager(ghostWidth:Long, periodic:Boolean):GhostManager =
        new BlockBlockDistGhostManager(ghostWidth, this, periodic);
    public def equals(thatObj:Any):Boolean {
        if (!(thatObj instanceof BlockBlockDist)) return super.equals(thatObj);
        val that = thatObj as BlockBlockDist;
        return axis0 == that.axis0 && axis1 == that.axis1 && pg.equals(that.pg) && region.equals(that.region);
    }
}
