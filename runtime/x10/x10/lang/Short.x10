package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/**
 * A 16-bit signed integer. Arithmetic wraps around; division by zero raises an ArithmeticException;
 * shift counts are taken modulo 16.
 */
public struct Short implements Comparable[Short], Arithmetic[Short], Bitwise[Short], Ordered[Short] {
    /** The least value. */
    public static MIN_VALUE:Short = (-32768n) as Short;
    /** The greatest value. */
    public static MAX_VALUE:Short = 32767n as Short;

    /** Whether this is less than x. */
    @Intrinsic("op.lt") public native operator this < (x:Short):Boolean;
    /** Whether this is greater than x. */
    @Intrinsic("op.gt") public native operator this > (x:Short):Boolean;
    /** Whether this is at most x. */
    @Intrinsic("op.le") public native operator this <= (x:Short):Boolean;
    /** Whether this is at least x. */
    @Intrinsic("op.ge") public native operator this >= (x:Short):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:Short):Short;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:Short):Short;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:Short):Short;
    /** Quotient, rounded towards zero. */
    @Intrinsic("op.div") public native operator this / (x:Short):Short;
    /** Remainder, with the sign of this. */
    @Intrinsic("op.rem") public native operator this % (x:Short):Short;
    /** Bitwise and. */
    @Intrinsic("op.and") public native operator this & (x:Short):Short;
    /** Bitwise or. */
    @Intrinsic("op.or") public native operator this | (x:Short):Short;
    /** Bitwise exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:Short):Short;
    /** Shift left. */
    @Intrinsic("op.shl") public native operator this << (count:Long):Short;
    /** Shift right, keeping the sign. */
    @Intrinsic("op.shr") public native operator this >> (count:Long):Short;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.ushr") public native operator this >>> (count:Long):Short;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:Short;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:Short;
    /** Bitwise complement. */
    @Intrinsic("op.bit_not") public native operator ~ this:Short;

    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:Byte):Short;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Int) as Short;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Long) as Short;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UByte):Short;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UShort) as Short;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UInt) as Short;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:ULong) as Short;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Float) as Short;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Double) as Short;

    /** The value in decimal. */
    public def toString():String = (this as Long).toString();
    /** The value in the given radix, 2 to 36. */
    public def toString(radix:Int):String = (this as Long).toString(radix);
    /** The value in base 16, with a minus sign if it is negative. The digits of its bits are those of the unsigned value. */
    public def toHexString():String = this.toString(16n);
    /** The value in base 8, with a minus sign if it is negative. The digits of its bits are those of the unsigned value. */
    public def toOctalString():String = this.toString(8n);
    /** The value in base 2, with a minus sign if it is negative. The digits of its bits are those of the unsigned value. */
    public def toBinaryString():String = this.toString(2n);
    /** Reads a decimal number; raises a NumberFormatException if s is not one or does not fit. */
    public static def parse(s:String):Short = parse(s, 10n);
    /** Reads a number in the given radix. */
    public static def parse(s:String, radix:Int):Short {
        val value = Long.parse(s, radix);
        if (value < (MIN_VALUE as Long) || value > (MAX_VALUE as Long)) throw new NumberFormatException("\"" + s + "\" does not fit a Short");
        return value as Short;
    }
    /** The same as parse. */
    public static def parseShort(s:String):Short = parse(s, 10n);
    /** The same as parse. */
    public static def parseShort(s:String, radix:Int):Short = parse(s, radix);

    /** The bytes in opposite order. */
    @CUDA public def reverseBytes():Short {
        var rest:UShort = this as UShort;
        var result:UShort = 0n as UShort;
        for (i in 1n..2n) { result = (result << 8) | (rest & (255n as UShort)); rest = rest >>> 8; }
        return result as Short;
    }
    /** A hash of the value. */
    @CUDA public def hashCode():Int = this as Int;
    /** Whether x is the same number, as a Short. */
    public def equals(x:Any):Boolean = x instanceof Short && (x as Short) == this;
    /** Whether x is the same number. */
    @CUDA public def equals(x:Short):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero. */
    @CUDA public def compareTo(x:Short):Int = this < x ? -1n : (this > x ? 1n : 0n);
    /** The bits in opposite order. */
    @CUDA public def reverse():Short = ((this as Int).reverse() >>> 16) as Short;
    /** -1, 0 or 1. */
    @CUDA public def signum():Int = (this as Int).signum();
}

/** The Short that is equal to value. */
public type Short(value:Short) = Short{self==value};
