package x10.array;

/** Cuts a space with 2 axes along both, by a grid that has a cell for each place. */
public class Dist_BlockBlock_2 extends Dist{this.rank()==2} {
    /** All points. */
    public val globalIndices:DenseIterationSpace_2{self!=null};

    /** The points of a space over the places of a group. */
    public def this(pg:PlaceGroup{self!=null}, is:DenseIterationSpace_2{self!=null}) {
        super(pg, is);
        globalIndices = is;
    }

    /** The points of this place. */
    public def localIndices():DenseIterationSpace_2{self!=null} = BlockingUtils.partitionBlockBlock(globalIndices, pg.numPlaces(), pg.indexOf(here));
    /** Where p is; no place if it is no point of the space. */
    public def place(p:Point(2)):Place =
        placeOf(BlockingUtils.mapIndexToBlockBlockPartition(globalIndices, pg.numPlaces(), p(0), p(1)));
}
