package x10.array;

/** Cuts a space with 3 axes along the first, into a block for each place. */
public class Dist_Block_3 extends Dist{this.rank()==3} {
    /** All points. */
    public val globalIndices:DenseIterationSpace_3{self!=null};

    /** The points of a space over the places of a group. */
    public def this(pg:PlaceGroup{self!=null}, is:DenseIterationSpace_3{self!=null}) {
        super(pg, is);
        globalIndices = is;
    }

    /** The points of this place. */
    public def localIndices():DenseIterationSpace_3{self!=null} {
        val all = globalIndices;
        val rows = BlockingUtils.partitionBlock(all.min(0), all.max(0), pg.numPlaces(), pg.indexOf(here));
        return new DenseIterationSpace_3(rows.min(0), all.min(1), all.min(2), rows.max(0), all.max(1), all.max(2));
    }
    /** Where p is; no place if it is no point of the space. */
    public def place(p:Point(3)):Place =
        contains(p)
            ? placeOf(BlockingUtils.mapIndexToBlockPartition(globalIndices.min(0), globalIndices.max(0), pg.numPlaces(), p(0)))
            : Place.INVALID_PLACE;
}
