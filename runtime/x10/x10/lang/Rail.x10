package x10.lang;

import x10.compiler.Factory;
import x10.compiler.Intrinsic;
import x10.compiler.Uncounted;

/**
 * A sequence of `size` elements at one place, indexed from 0. Elements of struct type lie in it unboxed.
 * Reading or writing outside raises an ArrayIndexOutOfBoundsException.
 */
public final class Rail[T](size:Long) implements Iterable[T], (Long)=>T {
    /** An empty rail. */
    @Factory("make") public native def this();
    /** A copy of src. */
    @Factory("makeCopy") public native def this(src:Rail[T]);
    /** size zeros. */
    @Factory("allocate") public native def this(size:Long){T haszero}:Rail[T]{self.size==size};
    /** size times init. */
    @Factory("make") public native def this(size:Long, init:T):Rail[T]{self.size==size};
    /** init(0) to init(size-1). */
    @Factory("make") public native def this(size:Long, init:(Long)=>T):Rail[T]{self.size==size};
    /** size zeros in memory of that kind. */
    @Factory("make") public native def this(size:Long, allocator:x10.xrx.Runtime.MemoryAllocator){T haszero}:Rail[T]{self.size==size};

    @Intrinsic("rail.allocate") private static native def allocate[T](size:Long):Rail[T];
    // All elements are set before anyone has the rail.
    @Intrinsic("rail.allocate_unwritten") private static native def room[T](size:Long):Rail[T];
    private static def make[T]():Rail[T] = allocate[T](0);
    private static def makeCopy[T](src:Rail[T]):Rail[T] {
        val result = room[T](src.size);
        copy(src, 0, result, 0, src.size);
        return result;
    }
    private static def make[T](size:Long, init:T):Rail[T] {
        val result = room[T](size);
        for (i in 0..(size - 1)) result.setUnchecked(i, init);
        return result;
    }
    private static def make[T](size:Long, init:(Long)=>T):Rail[T] {
        val result = room[T](size);
        for (i in 0..(size - 1)) result.setUnchecked(i, init(i));
        return result;
    }
    private static def make[T](size:Long, allocator:x10.xrx.Runtime.MemoryAllocator):Rail[T] {
        val result = allocate[T](size);
        allocator.allocated(result);
        return result;
    }
    @Intrinsic("rail.set_unchecked") private native def setUnchecked(index:Long, v:T):void;

    /** The element at index. */
    @Intrinsic("rail.get") public native operator this(index:Long):T;
    /** Sets the element at index; the value is v. */
    @Intrinsic("rail.set") public native operator this(index:Long)=(v:T):T{self==v};
    /** All valid indices. */
    public property def range():LongRange = 0..(size - 1);
    /** Goes over the elements. */
    public def iterator():Iterator[T] = new RailIterator[T](this);
    /** The first elements, in brackets. */
    public def toString():String = toString(10);
    /** At most limit elements, in brackets. */
    public def toString(limit:Long):String {
        var text:String = "[";
        for (var i:Long = 0; i < size && i < limit; i++) text += (i > 0 ? "," : "") + this(i);
        if (size > limit) text += "...(omitted " + (size - limit) + " elements)";
        return text + "]";
    }
    /** Sets all elements to v. */
    public def fill(v:T):void { for (i in 0..(size - 1)) setUnchecked(i, v); }
    /** Sets all elements to zero. */
    public def clear(){T haszero}:void { clear(0, size); }
    /** Sets count elements from start on to zero. */
    public def clear(start:Long, count:Long){T haszero}:void { clearRange(this, start, count); }
    @Intrinsic("rt.rail_clear") private static native def clearRange(rail:Any, start:Long, count:Long):void;

    /** Copies all of src to dst, which has the same size. */
    public static def copy[T](src:Rail[T], dst:Rail[T]){src.size==dst.size}:void { copy(src, 0, dst, 0, src.size); }
    /** Copies count elements; the two may overlap. */
    public static def copy[T](src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        copyRange(src, srcIndex, dst, dstIndex, count);
    }
    @Intrinsic("rt.rail_copy") private static native def copyRange(src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long):void;

    /** Starts copying count elements to a rail at any place; the enclosing finish waits for it. */
    public static def asyncCopy[T](src:Rail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long):void {
        startPut(src, srcIndex, dst.size, dst.homeId(), dst.handle, dstIndex, count);
    }
    /** Starts copying count elements from a rail at any place; the enclosing finish waits for it. */
    public static def asyncCopy[T](src:GlobalRail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        startGet(src.size, src.homeId(), src.handle, srcIndex, dst, dstIndex, count);
    }
    /** Starts copying count elements between rails of any two places; the enclosing finish waits for it. */
    public static def asyncCopy[T](src:GlobalRail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long):void {
        val host = src.home().host();
        if (host == here) copyFromHere[T](src, srcIndex, dst, dstIndex, count);
        else at (host) async copyFromHere[T](src, srcIndex, dst, dstIndex, count);
    }
    /** From this place or an accelerator of it. */
    private static def copyFromHere[T](src:GlobalRail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long):void {
        if (src.home() == here) {
            asyncCopy[T](src(), srcIndex, dst, dstIndex, count);
        } else if (dst.home() == here) {
            asyncCopy[T](src, srcIndex, dst(), dstIndex, count);
        } else {
            val sample = Unsafe.allocRailUninitialized[T](0);
            startBetween(sample, src.size, src.homeId(), src.handle, srcIndex, dst.size, dst.homeId(), dst.handle, dstIndex, count);
        }
    }
    /**
     * Copies count elements to a rail at any place, then calls notifier there (for a rail of an accelerator, at its host); no finish
     * waits for it.
     */
    public static def uncountedCopy[T](src:Rail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long, notifier:()=>void):void {
        @Uncounted async {
            finish asyncCopy[T](src, srcIndex, dst, dstIndex, count);
            val there = dst.home.parent();
            if (there == here) notifier(); else at (there) notifier();
        }
    }
    /** Copies count elements from a rail at any place, then calls notifier here; no finish waits for it. */
    public static def uncountedCopy[T](src:GlobalRail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long, notifier:()=>void):void {
        @Uncounted async {
            finish asyncCopy[T](src, srcIndex, dst, dstIndex, count);
            notifier();
        }
    }
    @Intrinsic("rt.async_put") private static native def startPut(src:Any, srcIndex:Long, dstSize:Long, dstHome:Long, dstHandle:Long, dstIndex:Long, count:Long):void;
    @Intrinsic("rt.async_get") private static native def startGet(srcSize:Long, srcHome:Long, srcHandle:Long, srcIndex:Long, dst:Any, dstIndex:Long, count:Long):void;
    @Intrinsic("rt.async_copy_devices") private static native def startBetween(sample:Any, srcSize:Long, srcHome:Long, srcHandle:Long, srcIndex:Long, dstSize:Long, dstHome:Long, dstHandle:Long, dstIndex:Long, count:Long):void;
}
