package x10.util;

import x10.compiler.Intrinsic;

/**
 * Operations that change an element of a rail in one step, whatever other threads do meanwhile: of a kernel, or activities. Each gives
 * the value before. A GlobalRail is changed by a kernel at its place. The order in which other memory is seen is not affected.
 */
public class CUDAAtomic {
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:Rail[Int], index:Long, value:Int):Int;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:Rail[Int], index:Long, value:Int):Int;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:Rail[Int], index:Long, value:Int):Int;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:Rail[Int], index:Long, value:Int):Int;
    /** Stores the bits that both have. */
    @Intrinsic("atomic.and") public static native def and(rail:Rail[Int], index:Long, value:Int):Int;
    /** Stores the bits that either has. */
    @Intrinsic("atomic.or") public static native def or(rail:Rail[Int], index:Long, value:Int):Int;
    /** Stores the bits that one of the two has. */
    @Intrinsic("atomic.xor") public static native def xor(rail:Rail[Int], index:Long, value:Int):Int;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:Rail[Int], index:Long, expected:Int, value:Int):Int;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:GlobalRail[Int], index:Long, value:Int):Int;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:GlobalRail[Int], index:Long, value:Int):Int;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:GlobalRail[Int], index:Long, value:Int):Int;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:GlobalRail[Int], index:Long, value:Int):Int;
    /** Stores the bits that both have. */
    @Intrinsic("atomic.and") public static native def and(rail:GlobalRail[Int], index:Long, value:Int):Int;
    /** Stores the bits that either has. */
    @Intrinsic("atomic.or") public static native def or(rail:GlobalRail[Int], index:Long, value:Int):Int;
    /** Stores the bits that one of the two has. */
    @Intrinsic("atomic.xor") public static native def xor(rail:GlobalRail[Int], index:Long, value:Int):Int;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:GlobalRail[Int], index:Long, expected:Int, value:Int):Int;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:Rail[UInt], index:Long, value:UInt):UInt;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:Rail[UInt], index:Long, value:UInt):UInt;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:Rail[UInt], index:Long, value:UInt):UInt;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:Rail[UInt], index:Long, value:UInt):UInt;
    /** Stores the bits that both have. */
    @Intrinsic("atomic.and") public static native def and(rail:Rail[UInt], index:Long, value:UInt):UInt;
    /** Stores the bits that either has. */
    @Intrinsic("atomic.or") public static native def or(rail:Rail[UInt], index:Long, value:UInt):UInt;
    /** Stores the bits that one of the two has. */
    @Intrinsic("atomic.xor") public static native def xor(rail:Rail[UInt], index:Long, value:UInt):UInt;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:Rail[UInt], index:Long, expected:UInt, value:UInt):UInt;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:GlobalRail[UInt], index:Long, value:UInt):UInt;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:GlobalRail[UInt], index:Long, value:UInt):UInt;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:GlobalRail[UInt], index:Long, value:UInt):UInt;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:GlobalRail[UInt], index:Long, value:UInt):UInt;
    /** Stores the bits that both have. */
    @Intrinsic("atomic.and") public static native def and(rail:GlobalRail[UInt], index:Long, value:UInt):UInt;
    /** Stores the bits that either has. */
    @Intrinsic("atomic.or") public static native def or(rail:GlobalRail[UInt], index:Long, value:UInt):UInt;
    /** Stores the bits that one of the two has. */
    @Intrinsic("atomic.xor") public static native def xor(rail:GlobalRail[UInt], index:Long, value:UInt):UInt;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:GlobalRail[UInt], index:Long, expected:UInt, value:UInt):UInt;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:Rail[Long], index:Long, value:Long):Long;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:Rail[Long], index:Long, value:Long):Long;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:Rail[Long], index:Long, value:Long):Long;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:Rail[Long], index:Long, value:Long):Long;
    /** Stores the bits that both have. */
    @Intrinsic("atomic.and") public static native def and(rail:Rail[Long], index:Long, value:Long):Long;
    /** Stores the bits that either has. */
    @Intrinsic("atomic.or") public static native def or(rail:Rail[Long], index:Long, value:Long):Long;
    /** Stores the bits that one of the two has. */
    @Intrinsic("atomic.xor") public static native def xor(rail:Rail[Long], index:Long, value:Long):Long;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:Rail[Long], index:Long, expected:Long, value:Long):Long;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:GlobalRail[Long], index:Long, value:Long):Long;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:GlobalRail[Long], index:Long, value:Long):Long;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:GlobalRail[Long], index:Long, value:Long):Long;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:GlobalRail[Long], index:Long, value:Long):Long;
    /** Stores the bits that both have. */
    @Intrinsic("atomic.and") public static native def and(rail:GlobalRail[Long], index:Long, value:Long):Long;
    /** Stores the bits that either has. */
    @Intrinsic("atomic.or") public static native def or(rail:GlobalRail[Long], index:Long, value:Long):Long;
    /** Stores the bits that one of the two has. */
    @Intrinsic("atomic.xor") public static native def xor(rail:GlobalRail[Long], index:Long, value:Long):Long;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:GlobalRail[Long], index:Long, expected:Long, value:Long):Long;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:Rail[ULong], index:Long, value:ULong):ULong;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:Rail[ULong], index:Long, value:ULong):ULong;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:Rail[ULong], index:Long, value:ULong):ULong;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:Rail[ULong], index:Long, value:ULong):ULong;
    /** Stores the bits that both have. */
    @Intrinsic("atomic.and") public static native def and(rail:Rail[ULong], index:Long, value:ULong):ULong;
    /** Stores the bits that either has. */
    @Intrinsic("atomic.or") public static native def or(rail:Rail[ULong], index:Long, value:ULong):ULong;
    /** Stores the bits that one of the two has. */
    @Intrinsic("atomic.xor") public static native def xor(rail:Rail[ULong], index:Long, value:ULong):ULong;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:Rail[ULong], index:Long, expected:ULong, value:ULong):ULong;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:GlobalRail[ULong], index:Long, value:ULong):ULong;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:GlobalRail[ULong], index:Long, value:ULong):ULong;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:GlobalRail[ULong], index:Long, value:ULong):ULong;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:GlobalRail[ULong], index:Long, value:ULong):ULong;
    /** Stores the bits that both have. */
    @Intrinsic("atomic.and") public static native def and(rail:GlobalRail[ULong], index:Long, value:ULong):ULong;
    /** Stores the bits that either has. */
    @Intrinsic("atomic.or") public static native def or(rail:GlobalRail[ULong], index:Long, value:ULong):ULong;
    /** Stores the bits that one of the two has. */
    @Intrinsic("atomic.xor") public static native def xor(rail:GlobalRail[ULong], index:Long, value:ULong):ULong;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:GlobalRail[ULong], index:Long, expected:ULong, value:ULong):ULong;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:Rail[Float], index:Long, value:Float):Float;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:Rail[Float], index:Long, value:Float):Float;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:Rail[Float], index:Long, value:Float):Float;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:Rail[Float], index:Long, value:Float):Float;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:Rail[Float], index:Long, expected:Float, value:Float):Float;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:GlobalRail[Float], index:Long, value:Float):Float;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:GlobalRail[Float], index:Long, value:Float):Float;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:GlobalRail[Float], index:Long, value:Float):Float;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:GlobalRail[Float], index:Long, value:Float):Float;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:GlobalRail[Float], index:Long, expected:Float, value:Float):Float;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:Rail[Double], index:Long, value:Double):Double;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:Rail[Double], index:Long, value:Double):Double;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:Rail[Double], index:Long, value:Double):Double;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:Rail[Double], index:Long, value:Double):Double;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:Rail[Double], index:Long, expected:Double, value:Double):Double;
    /** Adds value. */
    @Intrinsic("atomic.add") public static native def add(rail:GlobalRail[Double], index:Long, value:Double):Double;
    /** Stores value if it is less. */
    @Intrinsic("atomic.min") public static native def min(rail:GlobalRail[Double], index:Long, value:Double):Double;
    /** Stores value if it is greater. */
    @Intrinsic("atomic.max") public static native def max(rail:GlobalRail[Double], index:Long, value:Double):Double;
    /** Stores value. */
    @Intrinsic("atomic.exchange") public static native def exchange(rail:GlobalRail[Double], index:Long, value:Double):Double;
    /** Stores value if the element is expected, bit for bit. */
    @Intrinsic("atomic.compare") public static native def cas(rail:GlobalRail[Double], index:Long, expected:Double, value:Double):Double;
}
