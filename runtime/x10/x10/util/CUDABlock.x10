package x10.util;

import x10.compiler.Intrinsic;

/**
 * What all threads of a block do together. Each operation is a barrier as well: what the threads stored in shared memory before it,
 * all see after it. Sums of floating numbers are added in the same order on every device. Outside of a kernel a thread is alone.
 */
public class CUDABlock {
    /** The number of this thread in its block, the last axis first. */
    @Intrinsic("thread.rank") public static native def rank():Int;
    /** How many threads the block has. */
    @Intrinsic("thread.count") public static native def size():Int;
    /** Whether the condition of some thread holds. */
    @Intrinsic("block.any") public static native def any(condition:Boolean):Boolean;
    /** Whether the conditions of all threads hold. */
    @Intrinsic("block.all") public static native def all(condition:Boolean):Boolean;
    /** The number of threads whose condition holds. */
    @Intrinsic("block.count") public static native def count(condition:Boolean):Int;
    /** The sum of the block's values. */
    @Intrinsic("block.sum") public static native def sum(value:Int):Int;
    /** The least of the block's values. */
    @Intrinsic("block.min") public static native def min(value:Int):Int;
    /** The greatest of the block's values. */
    @Intrinsic("block.max") public static native def max(value:Int):Int;
    /** The bits that all of the block's values have. */
    @Intrinsic("block.and") public static native def and(value:Int):Int;
    /** The bits that some of the block's values have. */
    @Intrinsic("block.or") public static native def or(value:Int):Int;
    /** The bits that an odd number of the block's values have. */
    @Intrinsic("block.xor") public static native def xor(value:Int):Int;
    /** The sum of the values of the block's threads up to this one. */
    @Intrinsic("block.inclusive") public static native def inclusiveSum(value:Int):Int;
    /** The sum of the values of the block's threads before this one; 0 for the first. */
    @Intrinsic("block.exclusive") public static native def exclusiveSum(value:Int):Int;
    /** The sum of the block's values. */
    @Intrinsic("block.sum") public static native def sum(value:UInt):UInt;
    /** The least of the block's values. */
    @Intrinsic("block.min") public static native def min(value:UInt):UInt;
    /** The greatest of the block's values. */
    @Intrinsic("block.max") public static native def max(value:UInt):UInt;
    /** The bits that all of the block's values have. */
    @Intrinsic("block.and") public static native def and(value:UInt):UInt;
    /** The bits that some of the block's values have. */
    @Intrinsic("block.or") public static native def or(value:UInt):UInt;
    /** The bits that an odd number of the block's values have. */
    @Intrinsic("block.xor") public static native def xor(value:UInt):UInt;
    /** The sum of the values of the block's threads up to this one. */
    @Intrinsic("block.inclusive") public static native def inclusiveSum(value:UInt):UInt;
    /** The sum of the values of the block's threads before this one; 0 for the first. */
    @Intrinsic("block.exclusive") public static native def exclusiveSum(value:UInt):UInt;
    /** The sum of the block's values. */
    @Intrinsic("block.sum") public static native def sum(value:Long):Long;
    /** The least of the block's values. */
    @Intrinsic("block.min") public static native def min(value:Long):Long;
    /** The greatest of the block's values. */
    @Intrinsic("block.max") public static native def max(value:Long):Long;
    /** The bits that all of the block's values have. */
    @Intrinsic("block.and") public static native def and(value:Long):Long;
    /** The bits that some of the block's values have. */
    @Intrinsic("block.or") public static native def or(value:Long):Long;
    /** The bits that an odd number of the block's values have. */
    @Intrinsic("block.xor") public static native def xor(value:Long):Long;
    /** The sum of the values of the block's threads up to this one. */
    @Intrinsic("block.inclusive") public static native def inclusiveSum(value:Long):Long;
    /** The sum of the values of the block's threads before this one; 0 for the first. */
    @Intrinsic("block.exclusive") public static native def exclusiveSum(value:Long):Long;
    /** The sum of the block's values. */
    @Intrinsic("block.sum") public static native def sum(value:ULong):ULong;
    /** The least of the block's values. */
    @Intrinsic("block.min") public static native def min(value:ULong):ULong;
    /** The greatest of the block's values. */
    @Intrinsic("block.max") public static native def max(value:ULong):ULong;
    /** The bits that all of the block's values have. */
    @Intrinsic("block.and") public static native def and(value:ULong):ULong;
    /** The bits that some of the block's values have. */
    @Intrinsic("block.or") public static native def or(value:ULong):ULong;
    /** The bits that an odd number of the block's values have. */
    @Intrinsic("block.xor") public static native def xor(value:ULong):ULong;
    /** The sum of the values of the block's threads up to this one. */
    @Intrinsic("block.inclusive") public static native def inclusiveSum(value:ULong):ULong;
    /** The sum of the values of the block's threads before this one; 0 for the first. */
    @Intrinsic("block.exclusive") public static native def exclusiveSum(value:ULong):ULong;
    /** The sum of the block's values. */
    @Intrinsic("block.sum") public static native def sum(value:Float):Float;
    /** The least of the block's values. */
    @Intrinsic("block.min") public static native def min(value:Float):Float;
    /** The greatest of the block's values. */
    @Intrinsic("block.max") public static native def max(value:Float):Float;
    /** The sum of the values of the block's threads up to this one. */
    @Intrinsic("block.inclusive") public static native def inclusiveSum(value:Float):Float;
    /** The sum of the values of the block's threads before this one; 0 for the first. */
    @Intrinsic("block.exclusive") public static native def exclusiveSum(value:Float):Float;
    /** The sum of the block's values. */
    @Intrinsic("block.sum") public static native def sum(value:Double):Double;
    /** The least of the block's values. */
    @Intrinsic("block.min") public static native def min(value:Double):Double;
    /** The greatest of the block's values. */
    @Intrinsic("block.max") public static native def max(value:Double):Double;
    /** The sum of the values of the block's threads up to this one. */
    @Intrinsic("block.inclusive") public static native def inclusiveSum(value:Double):Double;
    /** The sum of the values of the block's threads before this one; 0 for the first. */
    @Intrinsic("block.exclusive") public static native def exclusiveSum(value:Double):Double;
}
