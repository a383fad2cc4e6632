package x10.regionarray;

import x10.array.Rows;
import x10.compiler.Cold;
import x10.util.StringBuilder;

/**
 * An array of an element for each point of a region, all at one place. The elements lie in one rail, which `raw` gives: those of the
 * region's bounding box in lexicographic order.
 */
public final class Array[T](region:Region{self!=null}, rank:Long, rect:Boolean, zeroBased:Boolean, rail:Boolean, size:Long)
        {rank==region.rank, rect==region.rect, zeroBased==region.zeroBased, rail==region.rail}
        implements (Point(rank))=>T, Iterable[Point(region.rank)] {
    private val raw:Rail[T];
    /** The rank, if the region is a box; else -1. */
    private val box:Long;
    // The bounding box: the first coordinate and the extent of the first four axes.
    private val min0:Long;
    private val extent0:Long;
    private val min1:Long;
    private val extent1:Long;
    private val min2:Long;
    private val extent2:Long;
    private val min3:Long;
    private val extent3:Long;

    private def this(raw:Rail[T], reg:Region):Array[T]{self.region==reg} {
        property(reg as Region{self!=null}, reg.rank, reg.rect, reg.zeroBased, reg.rail, reg.size());
        this.raw = raw;
        box = reg.rect ? reg.rank : -1;
        val n = reg.isEmpty() ? 0 : reg.rank;
        min0 = n > 0 ? reg.min(0) : 0;
        extent0 = n > 0 ? reg.max(0) - reg.min(0) + 1 : 0;
        min1 = n > 1 ? reg.min(1) : 0;
        extent1 = n > 1 ? reg.max(1) - reg.min(1) + 1 : 0;
        min2 = n > 2 ? reg.min(2) : 0;
        extent2 = n > 2 ? reg.max(2) - reg.min(2) + 1 : 0;
        min3 = n > 3 ? reg.min(3) : 0;
        extent3 = n > 3 ? reg.max(3) - reg.min(3) + 1 : 0;
    }
    /** How many elements the rail has: the size of the bounding box. */
    private static def capacity(reg:Region):Long = reg.isEmpty() ? 0 : (reg.rect ? reg.size() : reg.boundingBox().size());
    private static def filled[T](reg:Region, init:(Point)=>T):Rail[T] {
        if (reg.rect) {
            val elements = Unsafe.uninitialised[T](reg.size());
            var next:Long = 0;
            if (reg.rank == 1) for (p in reg as Region(1)) Unsafe.set(elements, next++, init(p));
            else if (reg.rank == 2) for (p in reg as Region(2)) Unsafe.set(elements, next++, init(p));
            else if (reg.rank == 3) for (p in reg as Region(3)) Unsafe.set(elements, next++, init(p));
            else for (p in reg) Unsafe.set(elements, next++, init(p));
            return elements;
        }
        // What is in the box and not in the region is zero.
        val elements = Unsafe.allocRailZeroed[T](capacity(reg));
        val box = reg.isEmpty() ? reg : reg.boundingBox();
        for (p in reg) Unsafe.set(elements, box.indexOf(p), init(p));
        return elements;
    }
    private static def large[T](reg:Region, elements:Rail[T]):Rail[T] {
        if (elements.size < capacity(reg)) throw new IllegalArgumentException("a rail of " + elements.size + " elements; the region needs " + capacity(reg));
        return elements;
    }

    /** Zeros. */
    public def this(reg:Region){T haszero}:Array[T]{self.region==reg} { this(new Rail[T](capacity(reg)), reg); }
    /** At each point init of the point. */
    public def this(reg:Region, init:(Point(reg.rank))=>T):Array[T]{self.region==reg} { this(filled[T](reg, init), reg); }
    /** init at each point. */
    public def this(reg:Region, init:T):Array[T]{self.region==reg} { this(new Rail[T](capacity(reg), init), reg); }
    /** The elements of backingStore: those of the bounding box in lexicographic order. They stay shared. */
    public def this(reg:Region, backingStore:Rail[T]):Array[T]{self.region==reg} { this(large[T](reg, backingStore), reg); }
    /** The elements of backingStore, which stay shared, indexed from 0. */
    public def this(backingStore:Rail[T]):Array[T]{self.rank==1,self.rect,self.zeroBased,self.rail,self.size==backingStore.size} {
        this(backingStore, Region.make(0, backingStore.size - 1));
    }
    /** size zeros, indexed from 0. */
    public def this(size:Long){T haszero}:Array[T]{self.rank==1,self.rect,self.zeroBased,self.rail,self.size==size} {
        this(new Rail[T](size), Region.make(0, size - 1));
    }
    /** init(0) to init(size-1), indexed from 0. */
    public def this(size:Long, init:(Long)=>T):Array[T]{self.rank==1,self.rect,self.zeroBased,self.rail,self.size==size} {
        this(new Rail[T](size, init), Region.make(0, size - 1));
    }
    /** size times init, indexed from 0. */
    public def this(size:Long, init:T):Array[T]{self.rank==1,self.rect,self.zeroBased,self.rail,self.size==size} {
        this(new Rail[T](size, init), Region.make(0, size - 1));
    }
    /** A copy of init. */
    public def this(init:Array[T]):Array[T]{self.region==init.region} { this(new Rail[T](init.raw), init.region); }
    /** A copy of an array that is here. */
    public def this(init:RemoteArray[T]{init.array.home==here}):Array[T]{self.region==init.region} {
        this(new Rail[T](init().raw), init.region);
    }

    /** The rail of the elements. */
    public def raw():Rail[T]{self!=null} = raw as Rail[T]{self!=null};
    /** The first elements of a rail in brackets; of other arrays the region. */
    public def toString():String {
        if (!rail) return "Array(" + region + ")";
        val text = new StringBuilder();
        val shown = Math.min(size, 10);
        text.add("[");
        for (i in 0..(shown - 1)) text.add((i == 0 ? "" : ",") + raw(i));
        if (shown < size) text.add("...(omitted " + (size - shown) + " elements)");
        text.add("]");
        return text.toString();
    }
    /** Goes over the points of the region. */
    public def iterator():Iterator[Point(rank)] = region.iterator() as Iterator[Point(rank)];
    /** The points of the region, row by row: what loops use. */
    public def rows():Rows = region.rows();
    /** The elements, in the order of the points. */
    public def values():Iterable[T] = new Values[T](this);

    /** Where the element at (i0) is in the rail; -1 if (i0) is not in the region. */
    def find(i0:Long):Long {
        val d0 = i0 - min0;
        return box == 1 && (d0 as ULong) < (extent0 as ULong) ? d0 : findAny(1, i0, 0, 0, 0, null);
    }
    /** Where the element at (i0, i1) is in the rail; -1 if (i0, i1) is not in the region. */
    def find(i0:Long, i1:Long):Long {
        val d0 = i0 - min0;
        val d1 = i1 - min1;
        return box == 2 && (d0 as ULong) < (extent0 as ULong) && (d1 as ULong) < (extent1 as ULong) ? d0 * extent1 + d1 : findAny(2, i0, i1, 0, 0, null);
    }
    /** Where the element at (i0, i1, i2) is in the rail; -1 if (i0, i1, i2) is not in the region. */
    def find(i0:Long, i1:Long, i2:Long):Long {
        val d0 = i0 - min0;
        val d1 = i1 - min1;
        val d2 = i2 - min2;
        return box == 3 && (d0 as ULong) < (extent0 as ULong) && (d1 as ULong) < (extent1 as ULong) && (d2 as ULong) < (extent2 as ULong) ? (d0 * extent1 + d1) * extent2 + d2 : findAny(3, i0, i1, i2, 0, null);
    }
    /** Where the element at (i0, i1, i2, i3) is in the rail; -1 if (i0, i1, i2, i3) is not in the region. */
    def find(i0:Long, i1:Long, i2:Long, i3:Long):Long {
        val d0 = i0 - min0;
        val d1 = i1 - min1;
        val d2 = i2 - min2;
        val d3 = i3 - min3;
        return box == 4 && (d0 as ULong) < (extent0 as ULong) && (d1 as ULong) < (extent1 as ULong) && (d2 as ULong) < (extent2 as ULong) && (d3 as ULong) < (extent3 as ULong) ? ((d0 * extent1 + d1) * extent2 + d2) * extent3 + d3 : findAny(4, i0, i1, i2, i3, null);
    }
    /** Where the element at p is in the rail; -1 if p is not in the region. */
    def find(p:Point):Long = p.rank == 2 ? find(Unsafe.first(p), Unsafe.second(p))
        : findMore(p.rank, Unsafe.first(p), Unsafe.second(p), Unsafe.third(p), Unsafe.fourth(p), Unsafe.more(p));
    private def findMore(axes:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):Long {
        if (axes == 1) return find(c0);
        if (axes == 3) return find(c0, c1, c2);
        return findAny(axes, c0, c1, c2, c3, more);
    }
    /** The same for a point of any rank, of which these are the parts, in a region of any form. */
    @Cold private def findAny(axes:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):Long {
        if (axes != rank || !region.contains(Unsafe.point(axes, c0, c1, c2, c3, more))) return -1;
        if (axes == 1) return c0 - min0;
        if (axes == 2) return (c0 - min0) * extent1 + c1 - min1;
        if (axes == 3) return ((c0 - min0) * extent1 + c1 - min1) * extent2 + c2 - min2;
        if (axes == 4) return (((c0 - min0) * extent1 + c1 - min1) * extent2 + c2 - min2) * extent3 + c3 - min3;
        var index:Long = 0;
        for (i in 0..(axes - 1)) index = index * (region.max(i) - region.min(i) + 1) + more(i) - region.min(i);
        return index;
    }

    /** The element at (i0). */
    public operator this(i0:Long){rank==1}:T {
        val index = find(i0);
        if (index < 0) outside(i0);
        return Unsafe.get(raw, index);
    }
    /** The element at (i0, i1). */
    public operator this(i0:Long, i1:Long){rank==2}:T {
        val index = find(i0, i1);
        if (index < 0) outside(i0, i1);
        return Unsafe.get(raw, index);
    }
    /** The element at (i0, i1, i2). */
    public operator this(i0:Long, i1:Long, i2:Long){rank==3}:T {
        val index = find(i0, i1, i2);
        if (index < 0) outside(i0, i1, i2);
        return Unsafe.get(raw, index);
    }
    /** The element at (i0, i1, i2, i3). */
    public operator this(i0:Long, i1:Long, i2:Long, i3:Long){rank==4}:T {
        val index = find(i0, i1, i2, i3);
        if (index < 0) outside(i0, i1, i2, i3);
        return Unsafe.get(raw, index);
    }
    /** The element at pt. */
    public operator this(pt:Point{self.rank==this.rank}):T =
        pt.rank == 2 ? elementAt(Unsafe.first(pt), Unsafe.second(pt))
            : elementAt(pt.rank, Unsafe.first(pt), Unsafe.second(pt), Unsafe.third(pt), Unsafe.fourth(pt), Unsafe.more(pt));
    private def elementAt(i0:Long, i1:Long):T {
        val d0 = i0 - min0;
        val d1 = i1 - min1;
        return box == 2 && (d0 as ULong) < (extent0 as ULong) && (d1 as ULong) < (extent1 as ULong)
            ? Unsafe.get(raw, d0 * extent1 + d1) : elementAt(2, i0, i1, 0, 0, null);
    }
    /** The element at a point of any rank, of which these are the parts. */
    private def elementAt(axes:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):T {
        val index = axes == 2 ? findAny(2, c0, c1, 0, 0, null) : findMore(axes, c0, c1, c2, c3, more);
        if (index < 0) outside(axes, c0, c1, c2, c3, more);
        return Unsafe.get(raw, index);
    }
    /** Sets the element at (i0); the value is v. */
    public operator this(i0:Long)=(v:T){rank==1}:T{self==v} {
        val index = find(i0);
        if (index < 0) outside(i0);
        Unsafe.set(raw, index, v);
        return v;
    }
    /** Sets the element at (i0, i1); the value is v. */
    public operator this(i0:Long, i1:Long)=(v:T){rank==2}:T{self==v} {
        val index = find(i0, i1);
        if (index < 0) outside(i0, i1);
        Unsafe.set(raw, index, v);
        return v;
    }
    /** Sets the element at (i0, i1, i2); the value is v. */
    public operator this(i0:Long, i1:Long, i2:Long)=(v:T){rank==3}:T{self==v} {
        val index = find(i0, i1, i2);
        if (index < 0) outside(i0, i1, i2);
        Unsafe.set(raw, index, v);
        return v;
    }
    /** Sets the element at (i0, i1, i2, i3); the value is v. */
    public operator this(i0:Long, i1:Long, i2:Long, i3:Long)=(v:T){rank==4}:T{self==v} {
        val index = find(i0, i1, i2, i3);
        if (index < 0) outside(i0, i1, i2, i3);
        Unsafe.set(raw, index, v);
        return v;
    }
    /** Sets the element at p; the value is v. */
    public operator this(p:Point{self.rank==this.rank})=(v:T):T{self==v} {
        if (p.rank == 2) setElementAt(Unsafe.first(p), Unsafe.second(p), v);
        else setElementAt(p.rank, Unsafe.first(p), Unsafe.second(p), Unsafe.third(p), Unsafe.fourth(p), Unsafe.more(p), v);
        return v;
    }
    private def setElementAt(i0:Long, i1:Long, v:T):void {
        val d0 = i0 - min0;
        val d1 = i1 - min1;
        if (box == 2 && (d0 as ULong) < (extent0 as ULong) && (d1 as ULong) < (extent1 as ULong)) Unsafe.set(raw, d0 * extent1 + d1, v);
        else setElementAt(2, i0, i1, 0, 0, null, v);
    }
    /** Sets the element at a point of any rank, of which these are the parts. */
    private def setElementAt(axes:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long], v:T):void {
        val index = axes == 2 ? findAny(2, c0, c1, 0, 0, null) : findMore(axes, c0, c1, c2, c3, more);
        if (index < 0) outside(axes, c0, c1, c2, c3, more);
        Unsafe.set(raw, index, v);
    }

    // What loops use; see loop versioning in the compiler's passes.
    private static def within(least:Long, greatest:Long, min:Long, extent:Long):Boolean =
        min <= least && least <= greatest && ((greatest - min) as ULong) < (extent as ULong);
    /** Whether all indices between are valid. */
    def covers(i0:Long, i1:Long):Boolean =
        rect ? rank == 1 && within(i0, i1, min0, extent0) : rank == 1 && coversAny(i0, i1, 0, 0, 0, 0, 0, 0);
    /** The same for regions of other forms: if those are convex, all is there if the corners are. */
    @Cold private def coversAny(i0:Long, i1:Long, j0:Long, j1:Long, k0:Long, k1:Long, l0:Long, l1:Long):Boolean {
        if (!region.isConvex()) return false;
        for (corner in 0..((1 << (rank as Int)) - 1)) {
            val p = Unsafe.point(rank, (corner & 1) == 0 ? i0 : i1, (corner & 2) == 0 ? j0 : j1, (corner & 4) == 0 ? k0 : k1,
                (corner & 8) == 0 ? l0 : l1, null);
            if (!region.contains(p)) return false;
        }
        return i0 <= i1 && j0 <= j1 && k0 <= k1 && l0 <= l1;
    }
    /** The element at a valid index. */
    def uncheckedGet(i:Long):T = Unsafe.get(raw, i - min0);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, v:T):T {
        Unsafe.set(raw, i - min0, v);
        return v;
    }
    /** Whether all indices between are valid. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long):Boolean =
        rect ? rank == 2 && within(i0, i1, min0, extent0) && within(j0, j1, min1, extent1)
            : rank == 2 && coversAny(i0, i1, j0, j1, 0, 0, 0, 0);
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long):T = Unsafe.get(raw, (i - min0) * extent1 + j - min1);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, v:T):T {
        Unsafe.set(raw, (i - min0) * extent1 + j - min1, v);
        return v;
    }
    /** Whether all indices between are valid. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long, k0:Long, k1:Long):Boolean =
        rect ? rank == 3 && within(i0, i1, min0, extent0) && within(j0, j1, min1, extent1) && within(k0, k1, min2, extent2)
            : rank == 3 && coversAny(i0, i1, j0, j1, k0, k1, 0, 0);
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long, k:Long):T = Unsafe.get(raw, ((i - min0) * extent1 + j - min1) * extent2 + k - min2);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, k:Long, v:T):T {
        Unsafe.set(raw, ((i - min0) * extent1 + j - min1) * extent2 + k - min2, v);
        return v;
    }
    /** Whether all indices between are valid. */
    def covers(i0:Long, i1:Long, j0:Long, j1:Long, k0:Long, k1:Long, l0:Long, l1:Long):Boolean =
        box == 4 && within(i0, i1, min0, extent0) && within(j0, j1, min1, extent1) && within(k0, k1, min2, extent2) && within(l0, l1, min3, extent3);
    /** The element at a valid index. */
    def uncheckedGet(i:Long, j:Long, k:Long, l:Long):T = Unsafe.get(raw, (((i - min0) * extent1 + j - min1) * extent2 + k - min2) * extent3 + l - min3);
    /** Sets the element at a valid index. */
    def uncheckedSet(i:Long, j:Long, k:Long, l:Long, v:T):T {
        Unsafe.set(raw, (((i - min0) * extent1 + j - min1) * extent2 + k - min2) * extent3 + l - min3, v);
        return v;
    }

    /** Sets all elements to v. */
    public def fill(v:T):void { raw.fill(v); }
    /** Sets all elements to zero. */
    public def clear(){T haszero}:void { raw.clear(); }

    /** op of each element. */
    public def map[U](op:(T)=>U):Array[U](region) = rect ? new Array[U](region, new Rail[U](size, (i:Long)=>op(raw(i)))) as Array[U](region)
        : new Array[U](region, (p:Point(region.rank))=>op(this(p as Point(rank)))) as Array[U](region);
    /** Sets the elements of dst to op of those here; gives dst. */
    public def map[U](dst:Array[U](this.rank), op:(T)=>U):Array[U](this.rank){self==dst} {
        if (rect && region.equals(dst.region)) {
            for (i in 0..(size - 1)) dst.raw(i) = op(raw(i));
        } else {
            for (p in region) dst(p as Point(dst.rank)) = op(this(p as Point(rank)));
        }
        return dst;
    }
    /** Sets the elements of dst at the points of filter to op of those here; gives dst. */
    public def map[U](dst:Array[U](this.rank), filter:Region(this.rank), op:(T)=>U):Array[U](this.rank){self==dst} {
        for (p in region.intersection(filter as Region(region.rank))) dst(p as Point(dst.rank)) = op(this(p as Point(rank)));
        return dst;
    }
    /** op of each element and that of src. */
    public def map[S,U](src:Array[U](this.rank), op:(T,U)=>S):Array[S](this.region) = new Array[S](region,
        (p:Point(region.rank))=>op(this(p as Point(rank)), src(p as Point(src.rank)))) as Array[S](this.region);
    /** Sets the elements of dst to op of those here and in src; gives dst. */
    public def map[S,U](dst:Array[S](this.rank), src:Array[U](this.rank), op:(T,U)=>S):Array[S](this.rank){self==dst} {
        if (rect && region.equals(dst.region) && region.equals(src.region)) {
            for (i in 0..(size - 1)) dst.raw(i) = op(raw(i), src.raw(i));
        } else {
            for (p in region) dst(p as Point(dst.rank)) = op(this(p as Point(rank)), src(p as Point(src.rank)));
        }
        return dst;
    }
    /** Sets the elements of dst at the points of filter to op of those here and in src; gives dst. */
    public def map[S,U](dst:Array[S](this.rank), src:Array[U](this.rank), filter:Region(rank), op:(T,U)=>S):Array[S](rank){self==dst} {
        for (p in region.intersection(filter as Region(region.rank)))
            dst(p as Point(dst.rank)) = op(this(p as Point(rank)), src(p as Point(src.rank)));
        return dst;
    }
    /** op(... op(op(unit, first), second) ..., last). */
    public def reduce[U](op:(U,T)=>U, unit:U):U {
        var result:U = unit;
        if (rect) {
            for (i in 0..(size - 1)) result = op(result, raw(i));
        } else {
            for (p in region) result = op(result, this(p as Point(rank)));
        }
        return result;
    }
    /** At each point the reduction of the elements up to it. */
    public def scan[U](op:(U,T)=>U, unit:U){U haszero}:Array[U](region) =
        scan(new Array[U](region) as Array[U](region), op, unit);
    /** Sets each element of dst to the reduction of the elements up to it; gives dst. */
    public def scan[U](dst:Array[U](region), op:(U,T)=>U, unit:U):Array[U](region) {
        var result:U = unit;
        for (p in region) {
            result = op(result, this(p as Point(rank)));
            dst(p as Point(dst.rank)) = result;
        }
        return dst;
    }

    /** Starts copying all elements; the enclosing finish waits for it. */
    public static def asyncCopy[T](src:Array[T], dst:RemoteArray[T]):void {
        asyncCopy(src, 0, dst, 0, src.raw.size);
    }
    /** Starts copying numElems elements from srcPoint on; the enclosing finish waits for it. */
    public static def asyncCopy[T](src:Array[T], srcPoint:Point, dst:RemoteArray[T], dstPoint:Point, numElems:Long):void {
        val from = src.region.indexOf(srcPoint);
        val to = dst.region.indexOf(dstPoint);
        asyncCopy(src, from, dst, to, numElems);
    }
    /** Starts copying numElems elements; indices are those of the rails. The enclosing finish waits for it. */
    public static def asyncCopy[T](src:Array[T], srcIndex:Long, dst:RemoteArray[T], dstIndex:Long, numElems:Long):void {
        Rail.asyncCopy(src.raw, srcIndex, dst.rawData, dstIndex, numElems);
    }
    /** Starts copying all elements; the enclosing finish waits for it. */
    public static def asyncCopy[T](src:RemoteArray[T], dst:Array[T]):void {
        asyncCopy(src, 0, dst, 0, dst.raw.size);
    }
    /** Starts copying numElems elements from srcPoint on; the enclosing finish waits for it. */
    public static def asyncCopy[T](src:RemoteArray[T], srcPoint:Point, dst:Array[T], dstPoint:Point, numElems:Long):void {
        val from = src.region.indexOf(srcPoint);
        val to = dst.region.indexOf(dstPoint);
        asyncCopy(src, from, dst, to, numElems);
    }
    /** Starts copying numElems elements; indices are those of the rails. The enclosing finish waits for it. */
    public static def asyncCopy[T](src:RemoteArray[T], srcIndex:Long, dst:Array[T], dstIndex:Long, numElems:Long):void {
        Rail.asyncCopy(src.rawData, srcIndex, dst.raw, dstIndex, numElems);
    }
    /** Copies all elements. */
    public static def copy[T](src:Array[T], dst:Array[T]):void { copy(src, 0, dst, 0, src.raw.size); }
    /** Copies numElems elements from srcPoint on. */
    public static def copy[T](src:Array[T], srcPoint:Point, dst:Array[T], dstPoint:Point, numElems:Long):void {
        val from = src.region.indexOf(srcPoint);
        val to = dst.region.indexOf(dstPoint);
        copy(src, from, dst, to, numElems);
    }
    /** Copies numElems elements; indices are those of the rails. */
    public static def copy[T](src:Array[T], srcIndex:Long, dst:Array[T], dstIndex:Long, numElems:Long):void {
        Rail.copy(src.raw, srcIndex, dst.raw, dstIndex, numElems);
    }
    /** Copies the elements of src at the points of r to the same points here. */
    public def copy(src:Array[T](this.rank), r:Region(this.rank)):void {
        if (!src.region.contains(r as Region(src.region.rank)))
            throw new ArrayIndexOutOfBoundsException("cannot copy " + r + " from an array of " + src.region);
        if (!region.contains(r as Region(region.rank)))
            throw new ArrayIndexOutOfBoundsException("cannot copy " + r + " into an array of " + region);
        for (p in r) Unsafe.set(raw, find(p), Unsafe.get(src.raw, src.find(p)));
    }

    private static def noElement(index:String):ArrayIndexOutOfBoundsException =
        new ArrayIndexOutOfBoundsException("the array has no element at " + index);
    private static def outside(i0:Long):void {
        throw noElement("(" + i0 + ")");
    }
    private static def outside(i0:Long, i1:Long):void {
        throw noElement("(" + i0 + ", " + i1 + ")");
    }
    private static def outside(i0:Long, i1:Long, i2:Long):void {
        throw noElement("(" + i0 + ", " + i1 + ", " + i2 + ")");
    }
    private static def outside(i0:Long, i1:Long, i2:Long, i3:Long):void {
        throw noElement("(" + i0 + ", " + i1 + ", " + i2 + ", " + i3 + ")");
    }
    /** What is passed are the parts of a point: the point itself may then be in registers alone. */
    private static def outside(rank:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):void {
        throw noElement(Unsafe.point(rank, c0, c1, c2, c3, more).toString());
    }
}

/** The arrays of rank r. */
public type Array[T](r:Long) = Array[T]{self.rank==r};
/** The arrays of region r. */
public type Array[T](r:Region) = Array[T]{self.region==r};
/** The array a. */
public type Array[T](a:Array[T]) = Array[T]{self==a};

/** The elements of an array. */
final class Values[T] implements Iterable[T] {
    private val array:Array[T];

    def this(array:Array[T]) { this.array = array; }
    public def iterator():Iterator[T] = new ValueIterator[T](array);
}

final class ValueIterator[T] implements Iterator[T] {
    private val array:Array[T];
    private val points:Iterator[Point];

    def this(array:Array[T]) {
        this.array = array;
        points = array.rows().points();
    }
    public def hasNext():Boolean = points.hasNext();
    public def next():T = array(points.next() as Point(array.rank));
}
