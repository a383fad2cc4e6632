package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/**
 * A 8-bit unsigned integer. Arithmetic wraps around; division by zero raises an ArithmeticException;
 * shift counts are taken modulo 8.
 */
public struct UByte implements Comparable[UByte], Arithmetic[UByte], Bitwise[UByte], Ordered[UByte] {
    /** The least value. */
    public static MIN_VALUE:UByte = 0n as UByte;
    /** The greatest value. */
    public static MAX_VALUE:UByte = 255n as UByte;

    /** Whether this is less than x. */
    @Intrinsic("op.lt") public native operator this < (x:UByte):Boolean;
    /** Whether this is greater than x. */
    @Intrinsic("op.gt") public native operator this > (x:UByte):Boolean;
    /** Whether this is at most x. */
    @Intrinsic("op.le") public native operator this <= (x:UByte):Boolean;
    /** Whether this is at least x. */
    @Intrinsic("op.ge") public native operator this >= (x:UByte):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:UByte):UByte;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:UByte):UByte;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:UByte):UByte;
    /** Quotient, rounded towards zero. */
    @Intrinsic("op.div") public native operator this / (x:UByte):UByte;
    /** Remainder, with the sign of this. */
    @Intrinsic("op.rem") public native operator this % (x:UByte):UByte;
    /** Bitwise and. */
    @Intrinsic("op.and") public native operator this & (x:UByte):UByte;
    /** Bitwise and with the bits of a signed value. */
    @CUDA public operator this & (x:Byte):UByte = this & (x as UByte);
    /** Bitwise and with the bits of a signed value. */
    @CUDA public operator (x:Byte) & this:UByte = (x as UByte) & this;
    /** Bitwise or. */
    @Intrinsic("op.or") public native operator this | (x:UByte):UByte;
    /** Bitwise or with the bits of a signed value. */
    @CUDA public operator this | (x:Byte):UByte = this | (x as UByte);
    /** Bitwise or with the bits of a signed value. */
    @CUDA public operator (x:Byte) | this:UByte = (x as UByte) | this;
    /** Bitwise exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:UByte):UByte;
    /** Bitwise exclusive or with the bits of a signed value. */
    @CUDA public operator this ^ (x:Byte):UByte = this ^ (x as UByte);
    /** Bitwise exclusive or with the bits of a signed value. */
    @CUDA public operator (x:Byte) ^ this:UByte = (x as UByte) ^ this;
    /** Shift left. */
    @Intrinsic("op.shl") public native operator this << (count:Long):UByte;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.shr") public native operator this >> (count:Long):UByte;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.ushr") public native operator this >>> (count:Long):UByte;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:UByte;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:UByte;
    /** Bitwise complement. */
    @Intrinsic("op.bit_not") public native operator ~ this:UByte;

    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Byte) as UByte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Short) as UByte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Int) as UByte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Long) as UByte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UShort) as UByte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UInt) as UByte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:ULong) as UByte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Float) as UByte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Double) as UByte;

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
    public static def parse(s:String):UByte = parse(s, 10n);
    /** Reads a number in the given radix. */
    public static def parse(s:String, radix:Int):UByte {
        val value = ULong.parse(s, radix);
        if (value > (MAX_VALUE as ULong)) throw new NumberFormatException("\"" + s + "\" does not fit a UByte");
        return value as UByte;
    }
    /** The same as parse. */
    public static def parseUByte(s:String):UByte = parse(s, 10n);
    /** The same as parse. */
    public static def parseUByte(s:String, radix:Int):UByte = parse(s, radix);

    /** A hash of the value. */
    @CUDA public def hashCode():Int = this as Int;
    /** Whether x is the same number, as a UByte. */
    public def equals(x:Any):Boolean = x instanceof UByte && (x as UByte) == this;
    /** Whether x is the same number. */
    @CUDA public def equals(x:UByte):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero. */
    @CUDA public def compareTo(x:UByte):Int = this < x ? -1n : (this > x ? 1n : 0n);
    /** The bits in opposite order. */
    @CUDA public def reverse():UByte = ((this as Int).reverse() >>> 24) as UByte;
    /** -1, 0 or 1. */
    @CUDA public def signum():Int = (this as Int).signum();
}
