package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/**
 * A 8-bit signed integer. Arithmetic wraps around; division by zero raises an ArithmeticException;
 * shift counts are taken modulo 8.
 */
public struct Byte implements Comparable[Byte], Arithmetic[Byte], Bitwise[Byte], Ordered[Byte] {
    /** The least value. */
    public static MIN_VALUE:Byte = (-128n) as Byte;
    /** The greatest value. */
    public static MAX_VALUE:Byte = 127n as Byte;

    /** Whether this is less than x. */
    @Intrinsic("op.lt") public native operator this < (x:Byte):Boolean;
    /** Whether this is greater than x. */
    @Intrinsic("op.gt") public native operator this > (x:Byte):Boolean;
    /** Whether this is at most x. */
    @Intrinsic("op.le") public native operator this <= (x:Byte):Boolean;
    /** Whether this is at least x. */
    @Intrinsic("op.ge") public native operator this >= (x:Byte):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:Byte):Byte;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:Byte):Byte;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:Byte):Byte;
    /** Quotient, rounded towards zero. */
    @Intrinsic("op.div") public native operator this / (x:Byte):Byte;
    /** Remainder, with the sign of this. */
    @Intrinsic("op.rem") public native operator this % (x:Byte):Byte;
    /** Bitwise and. */
    @Intrinsic("op.and") public native operator this & (x:Byte):Byte;
    /** Bitwise or. */
    @Intrinsic("op.or") public native operator this | (x:Byte):Byte;
    /** Bitwise exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:Byte):Byte;
    /** Shift left. */
    @Intrinsic("op.shl") public native operator this << (count:Long):Byte;
    /** Shift right, keeping the sign. */
    @Intrinsic("op.shr") public native operator this >> (count:Long):Byte;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.ushr") public native operator this >>> (count:Long):Byte;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:Byte;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:Byte;
    /** Bitwise complement. */
    @Intrinsic("op.bit_not") public native operator ~ this:Byte;

    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Short) as Byte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Int) as Byte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Long) as Byte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UByte) as Byte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UShort) as Byte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UInt) as Byte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:ULong) as Byte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Float) as Byte;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Double) as Byte;

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
    public static def parse(s:String):Byte = parse(s, 10n);
    /** Reads a number in the given radix. */
    public static def parse(s:String, radix:Int):Byte {
        val value = Long.parse(s, radix);
        if (value < (MIN_VALUE as Long) || value > (MAX_VALUE as Long)) throw new NumberFormatException("\"" + s + "\" does not fit a Byte");
        return value as Byte;
    }
    /** The same as parse. */
    public static def parseByte(s:String):Byte = parse(s, 10n);
    /** The same as parse. */
    public static def parseByte(s:String, radix:Int):Byte = parse(s, radix);

    /** A hash of the value. */
    @CUDA public def hashCode():Int = this as Int;
    /** Whether x is the same number, as a Byte. */
    public def equals(x:Any):Boolean = x instanceof Byte && (x as Byte) == this;
    /** Whether x is the same number. */
    @CUDA public def equals(x:Byte):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero. */
    @CUDA public def compareTo(x:Byte):Int = this < x ? -1n : (this > x ? 1n : 0n);
    /** The bits in opposite order. */
    @CUDA public def reverse():Byte = ((this as Int).reverse() >>> 24) as Byte;
    /** -1, 0 or 1. */
    @CUDA public def signum():Int = (this as Int).signum();
}

/** The Byte that is equal to value. */
public type Byte(value:Byte) = Byte{self==value};
