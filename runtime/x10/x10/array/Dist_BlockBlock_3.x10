package x10.array;

/** Cuts a space with 3 axes along the first two, by a grid that has a cell for each place. */
public class Dist_BlockBlock_3 extends Dist{this.rank()==3} {
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
        val cell = BlockingUtils.partitionBlockBlock(all.min(0), all.min(1), all.max(0), all.max(1), pg.numPlaces(), pg.indexOf(here));
        return new DenseIterationSpace_3(cell.min(0), cell.min(1), all.min(2), cell.max(0), cell.max(1), all.max(2));
    }
    /** Where p is; no place if it is no point of the space. */
    public def place(p:Point(3)):Place =
        contains(p)
            ? placeOf(BlockingUtils.mapIndexToBlockBlockPartition(globalIndices.min(0), globalIndices.min(1), globalIndices.max(0), globalIndices.max(1),
                pg.numPlaces(), p(0), p(1)))
            : Place.INVALID_PLACE;
}
