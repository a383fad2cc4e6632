package x10.array;

/** A distributed array with 2 axes: the first two axes are cut into a grid of blocks, one for each place. */
public class DistArray_BlockBlock_2[T] extends DistArray[T]{this.rank()==2} implements (Long,Long)=>T {
    /** The number of axes. */
    public property rank():Long = 2;

    /** All points. */
    protected val globalIndices:DenseIterationSpace_2{self!=null};

    /** m by n elements over the places of a group, each init of its index, computed where it is. */
    public def this(m:Long, n:Long, pg:PlaceGroup{self!=null}, init:(Long,Long)=>T) {
        super(pg, extent(m) * extent(n), ()=>new Part[T](box(m, n, pg, pg.indexOf(here)), (i:Long, j:Long, k:Long)=>init(i, j)));
        globalIndices = new DenseIterationSpace_2(0, 0, m - 1, n - 1);
    }
    /** m by n elements over all places, each init of its index, computed where it is. */
    public def this(m:Long, n:Long, init:(Long,Long)=>T) { this(m, n, Place.places(), init); }
    /** m by n zeros over the places of a group. */
    public def this(m:Long, n:Long, pg:PlaceGroup{self!=null}){T haszero} {
        super(pg, extent(m) * extent(n), ()=>new Part[T](box(m, n, pg, pg.indexOf(here))));
        globalIndices = new DenseIterationSpace_2(0, 0, m - 1, n - 1);
    }
    /** m by n zeros over all places. */
    public def this(m:Long, n:Long){T haszero} { this(m, n, Place.places()); }

    /** What a part has, as a space of rank 3. */
    private static def box(m:Long, n:Long, pg:PlaceGroup, part:Long):DenseIterationSpace_3 {
        val plane = BlockingUtils.partitionBlockBlock(0, 0, m - 1, n - 1, pg.numPlaces(), part);
        return new DenseIterationSpace_3(plane.min0, plane.min1, 0, plane.max0, plane.max1, 0);
    }
    /** All points that index the array. */
    public final def globalIndices():DenseIterationSpace_2{self!=null} = globalIndices;
    /** The points of this place. */
    public final def localIndices():DenseIterationSpace_2{self!=null} {
        val part = part();
        return new DenseIterationSpace_2(part.min0, part.min1, part.min0 + part.extent0 - 1, part.min1 + part.extent1 - 1);
    }
    /** Where (i, j) is; no place if it is no index. */
    public final def place(i:Long, j:Long):Place =
        placeOf(BlockingUtils.mapIndexToBlockBlockPartition(0, 0, globalIndices.max0, globalIndices.max1, placeGroup.numPlaces(), i, j));
    /** Where p is; no place if it is no index. */
    public final def place(p:Point(2)):Place = place(p(0), p(1));

    private def index(i:Long, j:Long):Long {
        val index = part().find(i, j);
        if (index < 0) misplaced(place(i, j), "(" + i + ", " + j + ")");
        return index;
    }
    /** The element at (i, j), which is here. */
    public final operator this(i:Long, j:Long):T = Unsafe.get(part().rail, index(i, j));
    /** The element at p, which is here. */
    public final operator this(p:Point(2)):T = this(p(0), p(1));
    /** Sets the element at (i, j), which is here; the value is v. */
    public final operator this(i:Long, j:Long)=(v:T):T{self==v} {
        Unsafe.set(part().rail, index(i, j), v);
        return v;
    }
    /** Sets the element at p, which is here; the value is v. */
    public final operator this(p:Point(2))=(v:T):T{self==v} = this(p(0), p(1)) = v;
    /** A copy of the elements of a space whose points are here, row by row. */
    public def getPatch(space:IterationSpace(2){rect}):Rail[T] {
        val patch = part().patch(new DenseIterationSpace_3(space.min(0), space.min(1), 0, space.max(0), space.max(1), 0));
        if (patch == null) notHere(space, localIndices());
        return patch;
    }
}
