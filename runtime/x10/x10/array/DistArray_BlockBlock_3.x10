package x10.array;

/** A distributed array with 3 axes: the first two axes are cut into a grid of blocks, one for each place. */
public class DistArray_BlockBlock_3[T] extends DistArray[T]{this.rank()==3} implements (Long,Long,Long)=>T {
    /** The number of axes. */
    public property rank():Long = 3;

    /** All points. */
    protected val globalIndices:DenseIterationSpace_3{self!=null};

    /** m by n by p elements over the places of a group, each init of its index, computed where it is. */
    public def this(m:Long, n:Long, p:Long, pg:PlaceGroup{self!=null}, init:(Long,Long,Long)=>T) {
        super(pg, extent(m) * extent(n) * extent(p), ()=>new Part[T](box(m, n, p, pg, pg.indexOf(here)), (i:Long, j:Long, k:Long)=>init(i, j, k)));
        globalIndices = new DenseIterationSpace_3(0, 0, 0, m - 1, n - 1, p - 1);
    }
    /** m by n by p elements over all places, each init of its index, computed where it is. */
    public def this(m:Long, n:Long, p:Long, init:(Long,Long,Long)=>T) { this(m, n, p, Place.places(), init); }
    /** m by n by p zeros over the places of a group. */
    public def this(m:Long, n:Long, p:Long, pg:PlaceGroup{self!=null}){T haszero} {
        super(pg, extent(m) * extent(n) * extent(p), ()=>new Part[T](box(m, n, p, pg, pg.indexOf(here))));
        globalIndices = new DenseIterationSpace_3(0, 0, 0, m - 1, n - 1, p - 1);
    }
    /** m by n by p zeros over all places. */
    public def this(m:Long, n:Long, p:Long){T haszero} { this(m, n, p, Place.places()); }

    /** What a part has, as a space of rank 3. */
    private static def box(m:Long, n:Long, p:Long, pg:PlaceGroup, part:Long):DenseIterationSpace_3 {
        val plane = BlockingUtils.partitionBlockBlock(0, 0, m - 1, n - 1, pg.numPlaces(), part);
        return new DenseIterationSpace_3(plane.min0, plane.min1, 0, plane.max0, plane.max1, p - 1);
    }
    /** All points that index the array. */
    public final def globalIndices():DenseIterationSpace_3{self!=null} = globalIndices;
    /** The points of this place. */
    public final def localIndices():DenseIterationSpace_3{self!=null} {
        val part = part();
        return new DenseIterationSpace_3(part.min0, part.min1, part.min2, part.min0 + part.extent0 - 1, part.min1 + part.extent1 - 1, part.min2 + part.extent2 - 1);
    }
    /** Where (i, j, k) is; no place if it is no index. */
    public final def place(i:Long, j:Long, k:Long):Place {
        if (k < 0 || k > globalIndices.max2) return Place.INVALID_PLACE;
        return placeOf(BlockingUtils.mapIndexToBlockBlockPartition(0, 0, globalIndices.max0, globalIndices.max1, placeGroup.numPlaces(), i, j));
    }
    /** Where p is; no place if it is no index. */
    public final def place(p:Point(3)):Place = place(p(0), p(1), p(2));

    private def index(i:Long, j:Long, k:Long):Long {
        val index = part().find(i, j, k);
        if (index < 0) misplaced(place(i, j, k), "(" + i + ", " + j + ", " + k + ")");
        return index;
    }
    /** The element at (i, j, k), which is here. */
    public final operator this(i:Long, j:Long, k:Long):T = Unsafe.get(part().rail, index(i, j, k));
    /** The element at p, which is here. */
    public final operator this(p:Point(3)):T = this(p(0), p(1), p(2));
    /** Sets the element at (i, j, k), which is here; the value is v. */
    public final operator this(i:Long, j:Long, k:Long)=(v:T):T{self==v} {
        Unsafe.set(part().rail, index(i, j, k), v);
        return v;
    }
    /** Sets the element at p, which is here; the value is v. */
    public final operator this(p:Point(3))=(v:T):T{self==v} = this(p(0), p(1), p(2)) = v;
    /** A copy of the elements of a space whose points are here, row by row. */
    public def getPatch(space:IterationSpace(3){rect}):Rail[T] {
        val patch = part().patch(new DenseIterationSpace_3(space.min(0), space.min(1), space.min(2), space.max(0), space.max(1), space.max(2)));
        if (patch == null) notHere(space, localIndices());
        return patch;
    }
}
