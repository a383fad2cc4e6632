package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/** An IEEE 754 64-bit floating-point number. */
public struct Double implements Comparable[Double], Arithmetic[Double], Ordered[Double] {
    /** Positive infinity. */
    public static POSITIVE_INFINITY:Double = 1.0 / 0.0;
    /** Negative infinity. */
    public static NEGATIVE_INFINITY:Double = -1.0 / 0.0;
    /** Not a number. */
    public static NaN:Double = 0.0 / 0.0;
    /** The greatest finite value. */
    public static MAX_VALUE:Double = 1.7976931348623157E308;
    /** The least positive normal value. */
    public static MIN_NORMAL:Double = 2.2250738585072014E-308;
    /** The least positive value. */
    public static MIN_VALUE:Double = 4.9E-324;
    /** The greatest exponent of a finite value. */
    public static MAX_EXPONENT:Int = 1023n;
    /** The least exponent of a normal value. */
    public static MIN_EXPONENT:Int = -1022n;

    /** Whether this is less than x; false if either is NaN. */
    @Intrinsic("op.lt") public native operator this < (x:Double):Boolean;
    /** Whether this is greater than x; false if either is NaN. */
    @Intrinsic("op.gt") public native operator this > (x:Double):Boolean;
    /** Whether this is at most x; false if either is NaN. */
    @Intrinsic("op.le") public native operator this <= (x:Double):Boolean;
    /** Whether this is at least x; false if either is NaN. */
    @Intrinsic("op.ge") public native operator this >= (x:Double):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:Double):Double;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:Double):Double;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:Double):Double;
    /** Quotient. */
    @Intrinsic("op.div") public native operator this / (x:Double):Double;
    /** Remainder of the division rounded towards zero. */
    @Intrinsic("op.rem") public native operator this % (x:Double):Double;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:Double;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:Double;

    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:Byte):Double;
    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:Short):Double;
    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:Int):Double;
    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:Long):Double;
    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:UByte):Double;
    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:UShort):Double;
    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:UInt):Double;
    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:ULong):Double;
    /** Converts to the nearest Double. */
    @Intrinsic("op.convert") public native static operator (x:Float):Double;

    /** The shortest decimal number that reads back as this value. */
    @Intrinsic("rt.string_from_f64") public native def toString():String;
    /** Sign, hexadecimal mantissa and binary exponent. */
    @Intrinsic("rt.hex_string_from_f64") public native def toHexString():String;
    /** Reads a number; raises a NumberFormatException if s is not one. */
    @Intrinsic("rt.parse_f64") public native static def parse(s:String):Double;
    /** The same as parse. */
    public static def parseDouble(s:String):Double = parse(s);
    /** Whether this is not a number. */
    @CUDA public def isNaN():Boolean = this != this;
    /** Whether this is infinite. */
    @CUDA public def isInfinite():Boolean = this == POSITIVE_INFINITY || this == NEGATIVE_INFINITY;
    /** The bits, every NaN as the same one. */
    @CUDA public def toLongBits():Long = isNaN() ? 0x7ff8000000000000 : toRawLongBits();
    /** The bits. */
    @Intrinsic("op.bitcast") public native def toRawLongBits():Long;
    /** The number with these bits. */
    @Intrinsic("op.bitcast") public native static def fromLongBits(x:Long):Double;
    /** A hash of the bits. */
    @CUDA public def hashCode():Int = toLongBits().hashCode();
    /** Whether x is an equal Double. */
    public def equals(x:Any):Boolean = x instanceof Double && (x as Double) == this;
    /** Whether x is equal. */
    @CUDA public def equals(x:Double):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero; NaN is greatest. */
    @CUDA public def compareTo(x:Double):Int {
        if (this < x) return -1n;
        if (this > x) return 1n;
        return toLongBits().compareTo(x.toLongBits());
    }
}

/** The Double that is equal to value. */
public type Double(value:Double) = Double{self==value};
