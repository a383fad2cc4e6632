package x10.util;

import x10.compiler.Intrinsic;
import x10.compiler.CUDA;

/** Memory and launch configuration for kernels. All of it works on hosts too. */
public class CUDAUtilities {
    /**
     * The number of blocks that suits the kernel and the device. Only as `val blocks = CUDAUtilities.autoBlocks();` before a
     * kernel's outer finish; elsewhere it is what a host place uses.
     */
    public static def autoBlocks():Int = 8n;
    /** The number of threads a block, likewise. */
    public static def autoThreads():Int = 1n;

    /** count zeros at place. */
    public static def makeGlobalRail[T](place:Place, count:Long){T haszero}:GlobalRail[T]{self.home()==place,self.size==count} {
        val host = place.host();
        val made = host == here ? GlobalRail.allocate[T](place, count) : (at (host) GlobalRail.allocate[T](place, count));
        return made as GlobalRail[T]{self.home()==place,self.size==count};
    }
    /** count times init at place. */
    public static def makeGlobalRail[T](place:Place, count:Long, init:T){T haszero}:GlobalRail[T]{self.home()==place,self.size==count} =
        makeGlobalRail[T](place, count, new Rail[T](count, init));
    /** init(0) to init(count-1), computed here, at place. */
    public static def makeGlobalRail[T](place:Place, count:Long, init:(Long)=>T){T haszero}:GlobalRail[T]{self.home()==place,self.size==count} =
        makeGlobalRail[T](place, count, new Rail[T](count, init));
    /** The first count elements of init at place. */
    public static def makeGlobalRail[T](place:Place, count:Long, init:Rail[T]){T haszero}:GlobalRail[T]{self.home()==place,self.size==count} {
        val made = makeGlobalRail[T](place, count);
        finish Rail.asyncCopy(init, 0, made, 0, count);
        return made;
    }
    /** Frees a rail that makeGlobalRail made; it must not be used again. */
    public static def deleteGlobalRail[T](rail:GlobalRail[T]):void {
        val host = rail.home().host();
        if (host == here) rail.free(); else at (host) rail.free();
    }
    /** The product of the lower 24 bits of a and b. */
    @CUDA public static def mul24(a:Int, b:Int):Int = ((a << 8) >> 8) * ((b << 8) >> 8);
    /** Waits until all that was started at a device has ended. */
    public static def syncDevice(place:Place):void { if (place.isCUDA()) synchronise(place.id); }
    @Intrinsic("rt.device_synchronise") private static native def synchronise(place:Long):void;
}
