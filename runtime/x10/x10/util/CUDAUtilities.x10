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
    /**
     * The number of blocks of the kernel that the device runs at the same time, likewise: the most with which a kernel that makes calls of
     * slots is launched.
     */
    public static def residentBlocks():Int = 8n;
    /** The number of threads a block, likewise. */
    public static def autoThreads():Int = 1n;
    /**
     * One of some numbers of blocks, written out, the preferred ones first: the first that the device holds at once, or the last
     * one. At a host place it is the first.
     */
    public static def autoBlocks(choices:Rail[Int]):Int = choices(0);
    /** One of some numbers of threads a block, likewise: the first that fits the kernel and the device. */
    public static def autoThreads(choices:Rail[Int]):Int = choices(0);

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
    /** The first width elements of source as a texture of one axis at place. */
    public static def makeTextureRail[T](place:Place, source:Rail[T], width:Long, mode:Int){T haszero}:CUDATextureRail[T]{self.rank==1} =
        CUDATextureRail.make[T](place, 1, source, width, 1, 1, mode) as CUDATextureRail[T]{self.rank==1};
    /** height rows of width elements of source as a texture of two axes at place. */
    public static def makeTextureRail[T](place:Place, source:Rail[T], width:Long, height:Long, mode:Int){T haszero}:CUDATextureRail[T]{self.rank==2} =
        CUDATextureRail.make[T](place, 2, source, width, height, 1, mode) as CUDATextureRail[T]{self.rank==2};
    /** depth layers of height rows of width elements of source as a texture of three axes at place. */
    public static def makeTextureRail[T](place:Place, source:Rail[T], width:Long, height:Long, depth:Long, mode:Int){T haszero}:CUDATextureRail[T]{self.rank==3} =
        CUDATextureRail.make[T](place, 3, source, width, height, depth, mode) as CUDATextureRail[T]{self.rank==3};
    /** Sets all elements of a texture. No kernel may be reading it. */
    public static def fillTextureRail[T](texture:CUDATextureRail[T], source:Rail[T]):void {
        val host = texture.home().host();
        if (host == here) texture.fill(source); else at (host) texture.fill(source);
    }
    /** The same, from a rail of the texture's place: what a kernel has written becomes what the next one samples. */
    public static def fillTextureRail[T](texture:CUDATextureRail[T], source:GlobalRail[T]):void {
        if (source.home() != texture.home())
            throw new BadPlaceException("a texture at " + texture.home() + " is filled from a rail at " + source.home());
        val host = texture.home().host();
        if (host == here) texture.fill(source); else at (host) texture.fill(source);
    }
    /** Frees a texture; it must not be used again. */
    public static def deleteTextureRail[T](texture:CUDATextureRail[T]):void {
        val host = texture.home().host();
        if (host == here) texture.free(); else at (host) texture.free();
    }
    /** The product of the lower 24 bits of a and b. */
    @CUDA public static def mul24(a:Int, b:Int):Int = ((a << 8) >> 8) * ((b << 8) >> 8);
    /** Waits until all that was started at a device has ended. */
    public static def syncDevice(place:Place):void { if (place.isCUDA()) synchronise(place.id); }
    @Intrinsic("rt.device_synchronise") private static native def synchronise(place:Long):void;
}
