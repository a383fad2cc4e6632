package x10.array;

import x10.compiler.TransientInitExpr;

/**
 * An array of `size` elements in dense zero-based axes, distributed over the places of a group. Elements are read and written where they
 * are. DistArray_Block_1 and the other classes of this name say how it is cut.
 */
public abstract class DistArray[T](size:Long) implements Iterable[Point(this.rank())] {
    /** The number of axes. */
    public abstract property rank():Long;

    private val handle:PlaceLocalHandle[Part[T]];
    /** What this place has; null where there is no part. */
    @TransientInitExpr(handle()) private transient val local:Part[T];
    /** The places that have elements. */
    protected val placeGroup:PlaceGroup;

    /** An array of size elements, of which each place has what init makes there. */
    def this(pg:PlaceGroup, size:Long, init:()=>Part[T]) {
        property(size);
        placeGroup = pg;
        handle = PlaceLocalHandle.make[Part[T]](pg, init);
        local = handle();
    }
    /** What this place has. */
    final def part():Part[T] {
        if (local == null) throw new BadPlaceException("no part of the array is at " + here);
        return local;
    }

    /** The rail of this place's elements, row by row. */
    public final def raw():Rail[T]{self!=null} = part().rail;
    /** The places that have elements. */
    public final def placeGroup():PlaceGroup = placeGroup;
    /** All points that index the array. */
    public abstract def globalIndices():IterationSpace{self.rank==this.rank(),self.rect,self!=null};
    /** Goes over all points that index the array. */
    public def iterator():Iterator[Point(this.rank())] = globalIndices().iterator() as Iterator[Point(this.rank())];
    /** The points of this place. */
    public abstract def localIndices():IterationSpace{self.rank==this.rank(),self!=null};
    /** Where p is. */
    public abstract def place(p:Point(this.rank())):Place;
    /** The element at p, which is here. */
    public abstract operator this(p:Point(this.rank())):T;
    /** Sets the element at p, which is here; the value is v. */
    public abstract operator this(p:Point(this.rank()))=(v:T):T{self==v};
    /** A copy of the elements of a space whose points are here, row by row. */
    public abstract def getPatch(space:IterationSpace(this.rank){rect}):Rail[T];

    /** The elements reduced by op, in any order. */
    public final def reduce(op:(T,T)=>T, unit:T):T = reduce[T](op, op, unit);
    /** Each place's elements reduced by lop, and the places' results by gop, in the order of the places. */
    public final def reduce[U](lop:(U,T)=>U, gop:(U,U)=>U, unit:U):U {
        val places = placeGroup;
        val results = GlobalRail[U](new Rail[U](places.numPlaces(), unit));
        finish for (i in 0..(places.numPlaces() - 1)) async at (places(i)) {
            var sum:U = unit;
            for (x in raw()) sum = lop(sum, x);
            val mine = sum;
            at (results.home()) async (results as GlobalRail[U]{self.home()==here})()(i) = mine;
        }
        var result:U = unit;
        for (value in results()) result = gop(result, value);
        return result;
    }
    /** Sets the elements of dst, which is distributed alike, to op of those here; gives dst. */
    public final def map[U](dst:DistArray[U], op:(T)=>U):DistArray[U]{self==dst} {
        finish for (p in placeGroup) async at (p) {
            val from = raw();
            val to = dst.raw();
            if (from.size != to.size) sizesDiffer(from.size, to.size);
            for (i in from.range) to(i) = op(from(i));
        }
        return dst;
    }
    /** Sets the elements of dst to op of those here and in src2, all distributed alike; gives dst. */
    public final def map[S,U](src2:DistArray[S], dst:DistArray[U], op:(T,S)=>U):DistArray[U]{self==dst} {
        finish for (p in placeGroup) async at (p) {
            val from = raw();
            val other = src2.raw();
            val to = dst.raw();
            if (from.size != other.size) sizesDiffer(from.size, other.size);
            if (from.size != to.size) sizesDiffer(from.size, to.size);
            for (i in from.range) to(i) = op(from(i), other(i));
        }
        return dst;
    }
    private static def sizesDiffer(a:Long, b:Long):void {
        throw new IllegalArgumentException(here + " has " + a + " elements of one array and " + b + " of another");
    }

    /** Raises the exception for a patch that is not here. */
    static def notHere(space:IterationSpace, local:IterationSpace):void {
        throw new ArrayIndexOutOfBoundsException("cannot copy " + space + ": this place has " + local);
    }
    /** Raises the exception for an index that is not here: it is elsewhere, or nowhere. */
    static def misplaced(where:Place, index:String):void {
        if (where == Place.INVALID_PLACE) throw new ArrayIndexOutOfBoundsException("the array has no element at " + index);
        throw new BadPlaceException("the element at " + index + " is not at " + here);
    }
    /** The extent of an axis. */
    static def extent(n:Long):Long {
        if (n < 0) throw new NegativeArraySizeException();
        return n;
    }
    /** The place of a part, or no place. */
    final def placeOf(part:Long):Place = part < 0 ? Place.INVALID_PLACE : placeGroup(part);
}
