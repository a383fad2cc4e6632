package x10.array;

/** A distributed array of one element at each place of a group, indexed by the place's number in the group. */
public final class DistArray_Unique[T] extends DistArray[T]{this.rank()==1} implements (Long)=>T {
    /** The number of axes. */
    public property rank():Long = 1;

    /** A zero at each place. */
    public def this(){T haszero} { this(Place.places()); }
    /** A zero at each place of the group. */
    public def this(pg:PlaceGroup){T haszero} { super(pg, pg.size(), ()=>new Part[T](box(pg))); }
    /** init at each place, computed there. */
    public def this(init:()=>T) { this(Place.places(), init); }
    /** init at each place of the group, computed there. */
    public def this(pg:PlaceGroup, init:()=>T) {
        super(pg, pg.size(), ()=>new Part[T](box(pg), (i:Long, j:Long, k:Long)=>init()));
    }
    private static def box(pg:PlaceGroup):DenseIterationSpace_3 {
        val index = pg.indexOf(here);
        return new DenseIterationSpace_3(index, 0, 0, index, 0, 0);
    }

    /** All points that index the array. */
    public def globalIndices():DenseIterationSpace_1{self!=null} = new DenseIterationSpace_1(0, placeGroup.size() - 1);
    /** The point of this place. */
    public def localIndices():DenseIterationSpace_1{self!=null} = only(placeGroup.indexOf(here));
    private static def only(i:Long):DenseIterationSpace_1{self!=null} = new DenseIterationSpace_1(i, i);
    /** Where i is; no place if it is no index. */
    public def place(i:Long):Place = i >= 0 && i < placeGroup.size() ? placeGroup(i) : Place.INVALID_PLACE;
    /** Where p is; no place if it is no index. */
    public def place(p:Point(this.rank())):Place = place(p(0));
    private def index(i:Long):Long {
        val index = part().find(i);
        if (index < 0) misplaced(place(i), "(" + i + ")");
        return index;
    }
    /** The element at i, which is here. */
    public operator this(i:Long):T = Unsafe.get(part().rail, index(i));
    /** The element at p, which is here. */
    public operator this(p:Point(this.rank())):T = this(p(0));
    /** Sets the element at i, which is here; the value is v. */
    public operator this(i:Long)=(v:T):T{self==v} {
        Unsafe.set(part().rail, index(i), v);
        return v;
    }
    /** Sets the element at p, which is here; the value is v. */
    public operator this(p:Point(this.rank()))=(v:T):T{self==v} = this(p(0)) = v;
    /** A copy of the elements of a space whose points are here. */
    public def getPatch(space:IterationSpace(1){self.rect}):Rail[T] {
        throw new UnsupportedOperationException("there are no patches of one element a place");
    }
}
