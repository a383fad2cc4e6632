package x10.array;

/**
 * An array of `size` elements at one place, indexed from zero on each of its `rank` axes, the last axis fastest. The elements lie in
 * one rail, which `raw` gives. Array_1 to Array_4 are the arrays of rank 1 to 4.
 */
public abstract class Array[T](size:Long) implements Iterable[T], (Point(this.rank()))=>T {
    /** The number of axes. */
    public abstract property rank():Long;

    /** The elements, row by row. */
    protected var raw:Rail[T]{self!=null,self.size==this.size};

    /** An array of size elements; if zero is set they are zero, else the caller sets them. */
    protected def this(size:Long, zero:Boolean) {
        property(size);
        val elements = Unsafe.uninitialised[T](size);
        if (zero) Unsafe.clear(elements, 0, size);
        raw = elements as Rail[T]{self!=null,self.size==this.size};
    }
    /** An array of the elements of that rail. */
    protected def this(elements:Rail[T]{self!=null}) {
        property(elements.size);
        raw = elements as Rail[T]{self!=null,self.size==this.size};
    }

    /** The rail of the elements. */
    public final def raw():Rail[T]{self!=null,self.size==this.size} = raw;
    /** Makes r, of the same size, the rail of the elements. */
    public final def modifyRaw(r:Rail[T]{self!=null}):void {
        if (r.size != size) throw new IllegalArgumentException(r.size + " elements for " + size);
        raw = r as Rail[T]{self!=null,self.size==this.size};
    }
    /** Exchanges the elements of two arrays of the same size, without copying. */
    public static def swap[T](a1:Array[T]{self!=null}, a2:Array[T]{self!=null}):void {
        val first:Rail[T]{self!=null} = a1.raw;
        a1.modifyRaw(a2.raw);
        a2.modifyRaw(first);
    }

    /** Goes over the elements, row by row. */
    public final def iterator():Iterator[T] = raw.iterator();
    /** Sets all elements to v. */
    public def fill(v:T):void { raw.fill(v); }
    /** Sets all elements to zero. */
    public def clear(){T haszero}:void { raw.clear(); }

    /** op(... op(op(unit, first), second) ..., last). */
    public final def reduce[U](op:(U,T)=>U, unit:U):U {
        val elements = raw;
        var result:U = unit;
        for (i in 0..(size - 1)) result = op(result, Unsafe.get(elements, i));
        return result;
    }
    /** Sets each element of dst to op of the element here; gives dst. */
    public final def map[U](dst:Array[U], op:(T)=>U){this.size==dst.size}:Array[U]{self==dst} {
        val from = raw;
        val to = dst.raw;
        for (i in 0..(size - 1)) to(i) = op(Unsafe.get(from, i));
        return dst;
    }
    /** Sets each element of dst to op of the elements here and in src2; gives dst. */
    public final def map[S,U](src2:Array[S], dst:Array[U], op:(T,S)=>U){this.size==src2.size,this.size==dst.size}:Array[U]{self==dst} {
        val from = raw;
        val other = src2.raw;
        val to = dst.raw;
        for (i in 0..(size - 1)) to(i) = op(Unsafe.get(from, i), other(i));
        return dst;
    }

    /** All points that index the array. */
    public abstract def indices():IterationSpace{self.rank==this.rank(),self.rect,self!=null};
    /** The element at p. */
    public abstract operator this(p:Point(this.rank())):T;
    /** Sets the element at p; the value is v. */
    public abstract operator this(p:Point(this.rank()))=(v:T):T{self==v};

    /** Copies all elements of src to dst, which has the same size. */
    public static def copy[T](src:Array[T], dst:Array[T]){src.size==dst.size}:void { copy(src, 0, dst, 0, src.size); }
    /** Copies count elements; indices are those of the rails. */
    public static def copy[T](src:Array[T], srcIndex:Long, dst:Array[T], dstIndex:Long, numElems:Long):void {
        Rail.copy(src.raw, srcIndex, dst.raw, dstIndex, numElems);
    }

    /** Whether i is no index of an axis with that many elements. */
    protected static def outside(i:Long, extent:Long):Boolean = (i as ULong) >= (extent as ULong);
    /** The number of elements of an array of those extents. */
    protected static def volume(m:Long, n:Long):Long {
        if (m < 0 || n < 0) raiseNegativeArraySizeException();
        if (n > 0 && m > Long.MAX_VALUE / n) throw new OutOfMemoryError("an array of " + m + " times " + n + " elements");
        return m * n;
    }
    /** The number of elements of an array of those extents. */
    protected static def volume(m:Long, n:Long, p:Long):Long = volume(volume(m, n), p);
    /** The number of elements of an array of those extents. */
    protected static def volume(m:Long, n:Long, p:Long, q:Long):Long = volume(volume(m, n, p), q);
    private static def noElement(index:String):ArrayIndexOutOfBoundsException =
        new ArrayIndexOutOfBoundsException("the array has no element at " + index);
    /** Raises the exception for an index outside the array. */
    protected static def raiseBoundsError(i:Long):void {
        throw noElement("(" + i + ")");
    }
    /** Raises the exception for an index outside the array. */
    protected static def raiseBoundsError(i:Long, j:Long):void {
        throw noElement("(" + i + ", " + j + ")");
    }
    /** Raises the exception for an index outside the array. */
    protected static def raiseBoundsError(i:Long, j:Long, k:Long):void {
        throw noElement("(" + i + ", " + j + ", " + k + ")");
    }
    /** Raises the exception for an index outside the array. */
    protected static def raiseBoundsError(i:Long, j:Long, k:Long, l:Long):void {
        throw noElement("(" + i + ", " + j + ", " + k + ", " + l + ")");
    }
    /** Raises the exception for an array of less than no elements. */
    protected static def raiseNegativeArraySizeException():void { throw new NegativeArraySizeException(); }
}
