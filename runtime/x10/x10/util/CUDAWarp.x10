package x10.util;

import x10.compiler.Intrinsic;

/**
 * What the threads of a warp do together: 32 neighbours of a block, the last axis of the threads first. All threads of a warp
 * come here, whatever other warps do. A last warp of fewer threads works with those that it has. Outside of a kernel a thread is alone.
 */
public class CUDAWarp {
    /** The number of this thread in its warp, 0 to 31. */
    @Intrinsic("thread.lane") public static native def lane():Int;
    /** The number of this thread's warp in its block. */
    @Intrinsic("thread.warp") public static native def index():Int;
    /** The value of the thread of that lane, modulo 32; the own one if there is no such thread. */
    @Intrinsic("warp.shuffle") public static native def shuffle[T](value:T, lane:Int):T;
    /** The value of the thread n lanes before this one; the own one if there is none. */
    @Intrinsic("warp.shuffle_up") public static native def shuffleUp[T](value:T, lanes:Int):T;
    /** The value of the thread n lanes after this one; the own one if there is none. */
    @Intrinsic("warp.shuffle_down") public static native def shuffleDown[T](value:T, lanes:Int):T;
    /** The value of the thread whose lane differs in these bits of 31; the own one if there is none. */
    @Intrinsic("warp.shuffle_xor") public static native def shuffleXor[T](value:T, bits:Int):T;
    /** A bit for each lane whose condition holds. */
    @Intrinsic("warp.ballot") public static native def ballot(condition:Boolean):Int;
    /** Whether the condition of some thread holds. */
    @Intrinsic("warp.any") public static native def any(condition:Boolean):Boolean;
    /** Whether the conditions of all threads hold. */
    @Intrinsic("warp.all") public static native def all(condition:Boolean):Boolean;
    /** The sum of the warp's values. */
    @Intrinsic("warp.sum") public static native def sum(value:Int):Int;
    /** The least of the warp's values. */
    @Intrinsic("warp.min") public static native def min(value:Int):Int;
    /** The greatest of the warp's values. */
    @Intrinsic("warp.max") public static native def max(value:Int):Int;
    /** The bits that all of the warp's values have. */
    @Intrinsic("warp.and") public static native def and(value:Int):Int;
    /** The bits that some of the warp's values have. */
    @Intrinsic("warp.or") public static native def or(value:Int):Int;
    /** The bits that an odd number of the warp's values have. */
    @Intrinsic("warp.xor") public static native def xor(value:Int):Int;
    /** The sum of the values of the warp's threads up to this one. */
    @Intrinsic("warp.inclusive") public static native def inclusiveSum(value:Int):Int;
    /** The sum of the values of the warp's threads before this one; 0 for the first. */
    @Intrinsic("warp.exclusive") public static native def exclusiveSum(value:Int):Int;
    /** The sum of the warp's values. */
    @Intrinsic("warp.sum") public static native def sum(value:UInt):UInt;
    /** The least of the warp's values. */
    @Intrinsic("warp.min") public static native def min(value:UInt):UInt;
    /** The greatest of the warp's values. */
    @Intrinsic("warp.max") public static native def max(value:UInt):UInt;
    /** The bits that all of the warp's values have. */
    @Intrinsic("warp.and") public static native def and(value:UInt):UInt;
    /** The bits that some of the warp's values have. */
    @Intrinsic("warp.or") public static native def or(value:UInt):UInt;
    /** The bits that an odd number of the warp's values have. */
    @Intrinsic("warp.xor") public static native def xor(value:UInt):UInt;
    /** The sum of the values of the warp's threads up to this one. */
    @Intrinsic("warp.inclusive") public static native def inclusiveSum(value:UInt):UInt;
    /** The sum of the values of the warp's threads before this one; 0 for the first. */
    @Intrinsic("warp.exclusive") public static native def exclusiveSum(value:UInt):UInt;
    /** The sum of the warp's values. */
    @Intrinsic("warp.sum") public static native def sum(value:Long):Long;
    /** The least of the warp's values. */
    @Intrinsic("warp.min") public static native def min(value:Long):Long;
    /** The greatest of the warp's values. */
    @Intrinsic("warp.max") public static native def max(value:Long):Long;
    /** The bits that all of the warp's values have. */
    @Intrinsic("warp.and") public static native def and(value:Long):Long;
    /** The bits that some of the warp's values have. */
    @Intrinsic("warp.or") public static native def or(value:Long):Long;
    /** The bits that an odd number of the warp's values have. */
    @Intrinsic("warp.xor") public static native def xor(value:Long):Long;
    /** The sum of the values of the warp's threads up to this one. */
    @Intrinsic("warp.inclusive") public static native def inclusiveSum(value:Long):Long;
    /** The sum of the values of the warp's threads before this one; 0 for the first. */
    @Intrinsic("warp.exclusive") public static native def exclusiveSum(value:Long):Long;
    /** The sum of the warp's values. */
    @Intrinsic("warp.sum") public static native def sum(value:ULong):ULong;
    /** The least of the warp's values. */
    @Intrinsic("warp.min") public static native def min(value:ULong):ULong;
    /** The greatest of the warp's values. */
    @Intrinsic("warp.max") public static native def max(value:ULong):ULong;
    /** The bits that all of the warp's values have. */
    @Intrinsic("warp.and") public static native def and(value:ULong):ULong;
    /** The bits that some of the warp's values have. */
    @Intrinsic("warp.or") public static native def or(value:ULong):ULong;
    /** The bits that an odd number of the warp's values have. */
    @Intrinsic("warp.xor") public static native def xor(value:ULong):ULong;
    /** The sum of the values of the warp's threads up to this one. */
    @Intrinsic("warp.inclusive") public static native def inclusiveSum(value:ULong):ULong;
    /** The sum of the values of the warp's threads before this one; 0 for the first. */
    @Intrinsic("warp.exclusive") public static native def exclusiveSum(value:ULong):ULong;
    /** The sum of the warp's values. */
    @Intrinsic("warp.sum") public static native def sum(value:Float):Float;
    /** The least of the warp's values. */
    @Intrinsic("warp.min") public static native def min(value:Float):Float;
    /** The greatest of the warp's values. */
    @Intrinsic("warp.max") public static native def max(value:Float):Float;
    /** The sum of the values of the warp's threads up to this one. */
    @Intrinsic("warp.inclusive") public static native def inclusiveSum(value:Float):Float;
    /** The sum of the values of the warp's threads before this one; 0 for the first. */
    @Intrinsic("warp.exclusive") public static native def exclusiveSum(value:Float):Float;
    /** The sum of the warp's values. */
    @Intrinsic("warp.sum") public static native def sum(value:Double):Double;
    /** The least of the warp's values. */
    @Intrinsic("warp.min") public static native def min(value:Double):Double;
    /** The greatest of the warp's values. */
    @Intrinsic("warp.max") public static native def max(value:Double):Double;
    /** The sum of the values of the warp's threads up to this one. */
    @Intrinsic("warp.inclusive") public static native def inclusiveSum(value:Double):Double;
    /** The sum of the values of the warp's threads before this one; 0 for the first. */
    @Intrinsic("warp.exclusive") public static native def exclusiveSum(value:Double):Double;
}
