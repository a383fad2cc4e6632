package x10.array;

/** A distributed array with 1 axis: cut into a block for each place. */
public class DistArray_Block_1[T] extends DistArray[T]{this.rank()==1} implements (Long)=>T {
    /** The number of axes. */
    public property rank():Long = 1;

    /** All points. */
    protected val globalIndices:DenseIterationSpace_1{self!=null};

    /** n elements over the places of a group, each init of its index, computed where it is. */
    public def this(n:Long, pg:PlaceGroup{self!=null}, init:(Long)=>T) {
        super(pg, extent(n), ()=>new Part[T](box(n, pg, pg.indexOf(here)), (i:Long, j:Long, k:Long)=>init(i)));
        globalIndices = new DenseIterationSpace_1(0, n - 1);
    }
    /** n elements over all places, each init of its index, computed where it is. */
    public def this(n:Long, init:(Long)=>T) { this(n, Place.places(), init); }
    /** n zeros over the places of a group. */
    public def this(n:Long, pg:PlaceGroup{self!=null}){T haszero} {
        super(pg, extent(n), ()=>new Part[T](box(n, pg, pg.indexOf(here))));
        globalIndices = new DenseIterationSpace_1(0, n - 1);
    }
    /** n zeros over all places. */
    public def this(n:Long){T haszero} { this(n, Place.places()); }

    /** What a part has, as a space of rank 3. */
    private static def box(n:Long, pg:PlaceGroup, part:Long):DenseIterationSpace_3 {
        val rows = BlockingUtils.block(0, n - 1, pg.numPlaces(), part);
        return new DenseIterationSpace_3(rows.min, 0, 0, rows.max, 0, 0);
    }
    /** All points that index the array. */
    public final def globalIndices():DenseIterationSpace_1{self!=null} = globalIndices;
    /** The points of this place. */
    public final def localIndices():DenseIterationSpace_1{self!=null} {
        val part = part();
        return new DenseIterationSpace_1(part.min0, part.min0 + part.extent0 - 1);
    }
    /** Where (i) is; no place if it is no index. */
    public final def place(i:Long):Place =
        placeOf(BlockingUtils.mapIndexToBlockPartition(globalIndices.min, globalIndices.max, placeGroup.numPlaces(), i));
    /** Where p is; no place if it is no index. */
    public final def place(p:Point(1)):Place = place(p(0));

    private def index(i:Long):Long {
        val index = part().find(i);
        if (index < 0) misplaced(place(i), "(" + i + ")");
        return index;
    }
    /** The element at (i), which is here. */
    public final operator this(i:Long):T = Unsafe.get(part().rail, index(i));
    /** The element at p, which is here. */
    public final operator this(p:Point(1)):T = this(p(0));
    /** Sets the element at (i), which is here; the value is v. */
    public final operator this(i:Long)=(v:T):T{self==v} {
        Unsafe.set(part().rail, index(i), v);
        return v;
    }
    /** Sets the element at p, which is here; the value is v. */
    public final operator this(p:Point(1))=(v:T):T{self==v} = this(p(0)) = v;
    /** A copy of the elements of a space whose points are here, row by row. */
    public def getPatch(space:IterationSpace(1){rect}):Rail[T] {
        val patch = part().patch(new DenseIterationSpace_3(space.min(0), 0, 0, space.max(0), 0, 0));
        if (patch == null) notHere(space, localIndices());
        return patch;
    }
}
