package x10.util;

import x10.compiler.Intrinsic;

/**
 * Elements that kernels, and a host's own code at its home, read at any point: t(x), t(x, y) or t(x, y, z), by the rank. x runs along a
 * row, y over rows, z over layers; element i covers the coordinates from i to i+1. Made by CUDAUtilities.makeTextureRail with a mode, a
 * sum of the constants below, of elements Byte, UByte, Short, UShort, Int, UInt or Float. A device reads it through its texture units.
 *
 * A FILTERED texture mixes the elements around a point; how near each is, the device knows with 8 bits, and so does a processor. Their
 * results differ by no more than the last bits of the sum, and where a coordinate lies between two of those 256 steps, by one step.
 */
public final struct CUDATextureRail[T](rank:Long, width:Long, height:Long, depth:Long) {
    /** The element that contains a point; outside of all, the one at the edge. */
    public static val NEAREST:Int = 0n;
    /** Float elements only: linear between the middles of elements. */
    public static val FILTERED:Int = 1n;
    /** Coordinates from 0 to 1 cover all elements. */
    public static val NORMALIZED:Int = 2n;
    /** Outside of the elements is 0. */
    public static val BORDER:Int = 4n;
    /** The elements are repeated on and on; NORMALIZED only. */
    public static val WRAP:Int = 8n;
    /** The elements are repeated, every other time backwards; NORMALIZED only. */
    public static val MIRROR:Int = 12n;

    private val homeId:Long;
    private val object:Long;

    private def this(place:Place, rank:Long, width:Long, height:Long, depth:Long, object:Long) {
        property(rank, width, height, depth);
        this.homeId = place.id;
        this.object = object;
    }

    @Intrinsic("rt.texture_make") private static native def begin(place:Long, sample:Any, rank:Long, width:Long, height:Long, depth:Long, mode:Int):Long;
    @Intrinsic("rt.texture_fill") private static native def fill(place:Long, texture:Long, source:Any):void;
    @Intrinsic("rt.texture_copy") private static native def copy(place:Long, texture:Long, handle:Long, count:Long):void;
    @Intrinsic("rt.texture_free") private static native def end(place:Long, texture:Long):void;

    static def make[T](p:Place, rank:Long, source:Rail[T], width:Long, height:Long, depth:Long, mode:Int){T haszero}:CUDATextureRail[T] {
        val host = p.host();
        return host == here ? makeHere[T](p, rank, source, width, height, depth, mode)
            : (at (host) makeHere[T](p, rank, source, width, height, depth, mode));
    }
    private static def makeHere[T](p:Place, rank:Long, source:Rail[T], width:Long, height:Long, depth:Long, mode:Int){T haszero}:CUDATextureRail[T] {
        val object = begin(p.id, source, rank, width, height, depth, mode);
        var filled:Boolean = false;
        try {
            fill(p.id, object, source);
            filled = true;
        } finally {
            if (!filled) end(p.id, object);
        }
        return CUDATextureRail[T](p, rank, width, height, depth, object);
    }
    def fill(source:Rail[T]):void { fill(homeId, object, source); }
    def fill(source:GlobalRail[T]):void { copy(homeId, object, source.memory(), source.size); }
    def free():void { end(homeId, object); }

    /** Where the elements are. */
    public def home():Place = Place(homeId);
    /** What is at x. */
    @Intrinsic("texture.at") public native operator this(x:Float){rank==1}:T;
    /** What is at x of row y. */
    @Intrinsic("texture.at") public native operator this(x:Float, y:Float){rank==2}:T;
    /** What is at x of row y of layer z. */
    @Intrinsic("texture.at") public native operator this(x:Float, y:Float, z:Float){rank==3}:T;
    /** The place and the extents. */
    public def toString():String =
        "CUDATextureRail(" + home() + ", " + width + (rank > 1 ? " x " + height : "") + (rank > 2 ? " x " + depth : "") + ")";
}
