package x10.array;

/** Cuts a space with 1 axis into a block for each place. */
public class Dist_Block_1 extends Dist{this.rank()==1} {
    /** All points. */
    public val globalIndices:DenseIterationSpace_1{self!=null};

    /** The points of a space over the places of a group. */
    public def this(pg:PlaceGroup{self!=null}, is:DenseIterationSpace_1{self!=null}) {
        super(pg, is);
        globalIndices = is;
    }

    /** The points of this place. */
    public def localIndices():DenseIterationSpace_1{self!=null} = BlockingUtils.partitionBlock(globalIndices, pg.numPlaces(), pg.indexOf(here));
    /** Where p is; no place if it is no point of the space. */
    public def place(p:Point(1)):Place =
        placeOf(BlockingUtils.mapIndexToBlockPartition(globalIndices, pg.numPlaces(), p(0)));
}
