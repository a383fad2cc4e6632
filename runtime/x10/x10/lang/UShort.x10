package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/**
 * A 16-bit unsigned integer. Arithmetic wraps around; division by zero raises an ArithmeticException;
 * shift counts are taken modulo 16.
 */
public struct UShort implements Comparable[UShort], Arithmetic[UShort], Bitwise[UShort], Ordered[UShort] {
    /** The least value. */
    public static MIN_VALUE:UShort = 0n as UShort;
    /** The greatest value. */
    public static MAX_VALUE:UShort = 65535n as UShort;

    /** Whether this is less than x. */
    @Intrinsic("op.lt") public native operator this < (x:UShort):Boolean;
    /** Whether this is greater than x. */
    @Intrinsic("op.gt") public native operator this > (x:UShort):Boolean;
    /** Whether this is at most x. */
    @Intrinsic("op.le") public native operator this <= (x:UShort):Boolean;
    /** Whether this is at least x. */
    @Intrinsic("op.ge") public native operator this >= (x:UShort):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:UShort):UShort;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:UShort):UShort;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:UShort):UShort;
    /** Quotient, rounded towards zero. */
    @Intrinsic("op.div") public native operator this / (x:UShort):UShort;
    /** Remainder, with the sign of this. */
    @Intrinsic("op.rem") public native operator this % (x:UShort):UShort;
    /** Bitwise and. */
    @Intrinsic("op.and") public native operator this & (x:UShort):UShort;
    /** Bitwise and with the bits of a signed value. */
    @CUDA public operator this & (x:Short):UShort = this & (x as UShort);
    /** Bitwise and with the bits of a signed value. */
    @CUDA public operator (x:Short) & this:UShort = (x as UShort) & this;
    /** Bitwise or. */
    @Intrinsic("op.or") public native operator this | (x:UShort):UShort;
    /** Bitwise or with the bits of a signed value. */
    @CUDA public operator this | (x:Short):UShort = this | (x as UShort);
    /** Bitwise or with the bits of a signed value. */
    @CUDA public operator (x:Short) | this:UShort = (x as UShort) | this;
    /** Bitwise exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:UShort):UShort;
    /** Bitwise exclusive or with the bits of a signed value. */
    @CUDA public operator this ^ (x:Short):UShort = this ^ (x as UShort);
    /** Bitwise exclusive or with the bits of a signed value. */
    @CUDA public operator (x:Short) ^ this:UShort = (x as UShort) ^ this;
    /** Shift left. */
    @Intrinsic("op.shl") public native operator this << (count:Long):UShort;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.shr") public native operator this >> (count:Long):UShort;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.ushr") public native operator this >>> (count:Long):UShort;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:UShort;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:UShort;
    /** Bitwise complement. */
    @Intrinsic("op.bit_not") public native operator ~ this:UShort;

    /** Converts; a negative value wraps around. */
    @Intrinsic("op.convert") public native static operator (x:Byte):UShort;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Short) as UShort;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Int) as UShort;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Long) as UShort;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UByte):UShort;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UInt) as UShort;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:ULong) as UShort;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Float) as UShort;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Double) as UShort;

    /** The value in decimal. */
    public def toString():String = (this as ULong).toString();
    /** The value in the given radix, 2 to 36. */
    public def toString(radix:Int):String = (this as ULong).toString(radix);
    /** The bits in base 16, without leading zeros. */
    public def toHexString():String = (this as ULong).toString(16n);
    /** The bits in base 8, without leading zeros. */
    public def toOctalString():String = (this as ULong).toString(8n);
    /** The bits in base 2, without leading zeros. */
    public def toBinaryString():String = (this as ULong).toString(2n);
    /** Reads a decimal number; raises a NumberFormatException if s is not one or does not fit. */
    public static def parse(s:String):UShort = parse(s, 10n);
    /** Reads a number in the given radix. */
    public static def parse(s:String, radix:Int):UShort {
        val value = ULong.parse(s, radix);
        if (value > (MAX_VALUE as ULong)) throw new NumberFormatException("\"" + s + "\" does not fit a UShort");
        return value as UShort;
    }
    /** The same as parse. */
    public static def parseUShort(s:String):UShort = parse(s, 10n);
    /** The same as parse. */
    public static def parseUShort(s:String, radix:Int):UShort = parse(s, radix);

    /** The bytes in opposite order. */
    @CUDA public def reverseBytes():UShort {
        var rest:UShort = this;
        var result:UShort = 0n as UShort;
        for (i in 1n..2n) { result = (result << 8) | (rest & (255n as UShort)); rest = rest >>> 8; }
        return result;
    }
    /** A hash of the value. */
    @CUDA public def hashCode():Int = this as Int;
    /** Whether x is the same number, as a UShort. */
    public def equals(x:Any):Boolean = x instanceof UShort && (x as UShort) == this;
    /** Whether x is the same number. */
    @CUDA public def equals(x:UShort):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero. */
    @CUDA public def compareTo(x:UShort):Int = this < x ? -1n : (this > x ? 1n : 0n);
    /** The bits in opposite order. */
    @CUDA public def reverse():UShort = ((this as Int).reverse() >>> 16) as UShort;
    /** -1, 0 or 1. */
    @CUDA public def signum():Int = (this as Int).signum();
}
