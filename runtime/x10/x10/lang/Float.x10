package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/** An IEEE 754 32-bit floating-point number. */
public struct Float implements Comparable[Float], Arithmetic[Float], Ordered[Float] {
    /** Positive infinity. */
    public static POSITIVE_INFINITY:Float = 1.0f / 0.0f;
    /** Negative infinity. */
    public static NEGATIVE_INFINITY:Float = -1.0f / 0.0f;
    /** Not a number. */
    public static NaN:Float = 0.0f / 0.0f;
    /** The greatest finite value. */
    public static MAX_VALUE:Float = 3.4028234663852886E38f;
    /** The least positive normal value. */
    public static MIN_NORMAL:Float = 1.17549435E-38f;
    /** The least positive value. */
    public static MIN_VALUE:Float = 1.4E-45f;
    /** The greatest exponent of a finite value. */
    public static MAX_EXPONENT:Int = 127n;
    /** The least exponent of a normal value. */
    public static MIN_EXPONENT:Int = -126n;

    /** Whether this is less than x; false if either is NaN. */
    @Intrinsic("op.lt") public native operator this < (x:Float):Boolean;
    /** Whether this is greater than x; false if either is NaN. */
    @Intrinsic("op.gt") public native operator this > (x:Float):Boolean;
    /** Whether this is at most x; false if either is NaN. */
    @Intrinsic("op.le") public native operator this <= (x:Float):Boolean;
    /** Whether this is at least x; false if either is NaN. */
    @Intrinsic("op.ge") public native operator this >= (x:Float):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:Float):Float;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:Float):Float;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:Float):Float;
    /** Quotient. */
    @Intrinsic("op.div") public native operator this / (x:Float):Float;
    /** Remainder of the division rounded towards zero. */
    @Intrinsic("op.rem") public native operator this % (x:Float):Float;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:Float;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:Float;

    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:Byte):Float;
    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:Short):Float;
    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:Int):Float;
    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:Long):Float;
    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:UByte):Float;
    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:UShort):Float;
    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:UInt):Float;
    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:ULong):Float;
    /** Converts to the nearest Float. */
    @Intrinsic("op.convert") public native static operator (x:Double) as Float;

    /** The shortest decimal number that reads back as this value. */
    @Intrinsic("rt.string_from_f32") public native def toString():String;
    /** Sign, hexadecimal mantissa and binary exponent. */
    @Intrinsic("rt.hex_string_from_f32") public native def toHexString():String;
    /** Reads a number; raises a NumberFormatException if s is not one. */
    @Intrinsic("rt.parse_f32") public native static def parse(s:String):Float;
    /** The same as parse. */
    public static def parseFloat(s:String):Float = parse(s);
    /** Whether this is not a number. */
    @CUDA public def isNaN():Boolean = this != this;
    /** Whether this is infinite. */
    @CUDA public def isInfinite():Boolean = this == POSITIVE_INFINITY || this == NEGATIVE_INFINITY;
    /** The bits, every NaN as the same one. */
    @CUDA public def toIntBits():Int = isNaN() ? 0x7fc00000n : toRawIntBits();
    /** The bits. */
    @Intrinsic("op.bitcast") public native def toRawIntBits():Int;
    /** The number with these bits. */
    @Intrinsic("op.bitcast") public native static def fromIntBits(x:Int):Float;
    /** A hash of the bits. */
    @CUDA public def hashCode():Int = toIntBits().hashCode();
    /** Whether x is an equal Float. */
    public def equals(x:Any):Boolean = x instanceof Float && (x as Float) == this;
    /** Whether x is equal. */
    @CUDA public def equals(x:Float):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero; NaN is greatest. */
    @CUDA public def compareTo(x:Float):Int {
        if (this < x) return -1n;
        if (this > x) return 1n;
        return toIntBits().compareTo(x.toIntBits());
    }
}

/** The Float that is equal to value. */
public type Float(value:Float) = Float{self==value};
