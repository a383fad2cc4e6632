package x10.regionarray;

import x10.compiler.Volatile;
import x10.array.BlockingUtils;

/** A region cut along one axis into a block for each place of a group; the sizes differ by at most one, the larger come first. */
final class BlockDist extends Dist {
    private val axis:Long;
    private val pg:PlaceGroup;
    private val min:Long;
    private val max:Long;
    /** The points of this place, once they were computed, and the place. */
    @Volatile private transient var local:Region = null;

    def this(r:Region, axis:Long, pg:PlaceGroup):BlockDist{self.region==r} {
        super(r);
        if (axis < 0 || axis >= r.rank) throw new IllegalArgumentException("there is no axis " + axis + " in " + r);
        this.axis = axis; this.pg = pg;
        val empty = r.isEmpty();
        min = empty ? 0 : r.min(axis);
        max = empty ? -1 : r.max(axis);
    }
    /** The axis that is cut. */
    def axis():Long = axis;

    public def places():PlaceGroup = pg;
    public def numPlaces():Long = pg.numPlaces();
    public def regions():Iterable[Region(rank)] = new Rail[Region(rank)](pg.numPlaces(), (i:Long)=>block(i) as Region(rank));
    private def block(index:Long):Region {
        val part = BlockingUtils.partitionBlock(min, max, pg.numPlaces(), index);
        if (part.isEmpty()) return Region.makeEmpty(rank);
        val box = Region.makeRectangular(
            new Rail[Long](rank, (i:Long)=>i == axis ? part.min : region.min(i)),
            new Rail[Long](rank, (i:Long)=>i == axis ? part.max : region.max(i)));
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

    private def placeOf(i:Long):Place = pg(BlockingUtils.mapIndexToBlockPartition(min, max, pg.numPlaces(), i));
    public operator this(pt:Point(rank)):Place {
        if (!region.contains(pt)) raiseBoundsError(pt);
        return placeOf(pt(axis));
    }
    public operator this(i0:Long){rank==1}:Place {
        if (!region.contains(i0)) raiseBoundsError(i0);
        return placeOf(i0);
    }
    public operator this(i0:Long, i1:Long){rank==2}:Place {
        if (!region.contains(i0, i1)) raiseBoundsError(i0, i1);
        return placeOf(axis == 0 ? i0 : i1);
    }
    public operator this(i0:Long, i1:Long, i2:Long){rank==3}:Place {
        if (!region.contains(i0, i1, i2)) raiseBoundsError(i0, i1, i2);
        return placeOf(axis == 0 ? i0 : (axis == 1 ? i1 : i2));
    }
    public operator this(i0:Long, i1:Long, i2:Long, i3:Long){rank==4}:Place {
        if (!region.contains(i0, i1, i2, i3)) raiseBoundsError(i0, i1, i2, i3);
        return placeOf(axis == 0 ? i0 : (axis == 1 ? i1 : (axis == 2 ? i2 : i3)));
    }
    public def restriction(r:Region(rank)):Dist(rank) = new RegionRestriction(this, r) as Dist(rank);
    public def restriction(p:Place):Dist(rank) = new PlaceRestriction(this, p) as Dist(rank);
    public def getLocalGhostManager(ghostWidth:Long, periodic:Boolean):GhostManager =
        new BlockDistGhostManager(ghostWidth, this, axis, periodic);
    public def equals(thatObj:Any):Boolean {
        if (!(thatObj instanceof BlockDist)) return super.equals(thatObj);
        val that = thatObj as BlockDist;
        return axis == that.axis && pg.equals(that.pg) && region.equals(that.region);
    }
}
