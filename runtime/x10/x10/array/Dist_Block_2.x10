package x10.array;

/** Cuts a space with 2 axes along the first, into a block for each place. */
public class Dist_Block_2 extends Dist{this.rank()==2} {
    /** All points. */
    public val globalIndices:DenseIterationSpace_2{self!=null};

    /** The points of a space over the places of a group. */
    public def this(pg:PlaceGroup{self!=null}, is:DenseIterationSpace_2{self!=null}) {
        super(pg, is);
        globalIndices = is;
    }

    /** The points of this place. */
    public def localIndices():DenseIterationSpace_2{self!=null} {
        val all = globalIndices;
        val rows = BlockingUtils.partitionBlock(all.min(0), all.max(0), pg.numPlaces(), pg.indexOf(here));
        return new DenseIterationSpace_2(rows.min(0), all.min(1), rows.max(0), all.max(1));
    }
    /** Where p is; no place if it is no point of the space. */
    public def place(p:Point(2)):Place =
        contains(p)
            ? placeOf(BlockingUtils.mapIndexToBlockPartition(globalIndices.min(0), globalIndices.max(0), pg.numPlaces(), p(0)))
            : Place.INVALID_PLACE;
}
