package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/**
 * A 32-bit unsigned integer. Arithmetic wraps around; division by zero raises an ArithmeticException;
 * shift counts are taken modulo 32.
 */
public struct UInt implements Comparable[UInt], Arithmetic[UInt], Bitwise[UInt], Ordered[UInt] {
    /** The least value. */
    public static MIN_VALUE:UInt = 0un;
    /** The greatest value. */
    public static MAX_VALUE:UInt = 0xffffffffun;

    /** Whether this is less than x. */
    @Intrinsic("op.lt") public native operator this < (x:UInt):Boolean;
    /** Whether this is greater than x. */
    @Intrinsic("op.gt") public native operator this > (x:UInt):Boolean;
    /** Whether this is at most x. */
    @Intrinsic("op.le") public native operator this <= (x:UInt):Boolean;
    /** Whether this is at least x. */
    @Intrinsic("op.ge") public native operator this >= (x:UInt):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:UInt):UInt;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:UInt):UInt;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:UInt):UInt;
    /** Quotient, rounded towards zero. */
    @Intrinsic("op.div") public native operator this / (x:UInt):UInt;
    /** Remainder, with the sign of this. */
    @Intrinsic("op.rem") public native operator this % (x:UInt):UInt;
    /** Bitwise and. */
    @Intrinsic("op.and") public native operator this & (x:UInt):UInt;
    /** Bitwise and with the bits of a signed value. */
    @CUDA public operator this & (x:Int):UInt = this & (x as UInt);
    /** Bitwise and with the bits of a signed value. */
    @CUDA public operator (x:Int) & this:UInt = (x as UInt) & this;
    /** Bitwise or. */
    @Intrinsic("op.or") public native operator this | (x:UInt):UInt;
    /** Bitwise or with the bits of a signed value. */
    @CUDA public operator this | (x:Int):UInt = this | (x as UInt);
    /** Bitwise or with the bits of a signed value. */
    @CUDA public operator (x:Int) | this:UInt = (x as UInt) | this;
    /** Bitwise exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:UInt):UInt;
    /** Bitwise exclusive or with the bits of a signed value. */
    @CUDA public operator this ^ (x:Int):UInt = this ^ (x as UInt);
    /** Bitwise exclusive or with the bits of a signed value. */
    @CUDA public operator (x:Int) ^ this:UInt = (x as UInt) ^ this;
    /** Shift left. */
    @Intrinsic("op.shl") public native operator this << (count:Long):UInt;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.shr") public native operator this >> (count:Long):UInt;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.ushr") public native operator this >>> (count:Long):UInt;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:UInt;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:UInt;
    /** Bitwise complement. */
    @Intrinsic("op.bit_not") public native operator ~ this:UInt;

    /** Converts; a negative value wraps around. */
    @Intrinsic("op.convert") public native static operator (x:Byte):UInt;
    /** Converts; a negative value wraps around. */
    @Intrinsic("op.convert") public native static operator (x:Short):UInt;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Int) as UInt;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Long) as UInt;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UByte):UInt;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UShort):UInt;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:ULong) as UInt;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Float) as UInt;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Double) as UInt;

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
    public static def parse(s:String):UInt = parse(s, 10n);
    /** Reads a number in the given radix. */
    public static def parse(s:String, radix:Int):UInt {
        val value = ULong.parse(s, radix);
        if (value > (MAX_VALUE as ULong)) throw new NumberFormatException("\"" + s + "\" does not fit a UInt");
        return value as UInt;
    }
    /** The same as parse. */
    public static def parseUInt(s:String):UInt = parse(s, 10n);
    /** The same as parse. */
    public static def parseUInt(s:String, radix:Int):UInt = parse(s, radix);

    /** How many bits are set. */
    @CUDA public def bitCount():Int {
        // Sums of pairs of bits, of four, of eight; the product adds up the bytes.
        val pairs = this - ((this >>> 1) & 0x55555555un);
        val fours = (pairs & 0x33333333un) + ((pairs >>> 2) & 0x33333333un);
        return ((((fours + (fours >>> 4)) & 0x0f0f0f0fun) * 0x01010101un) >>> 24) as Int;
    }
    /** How many bits above the highest set one are zero; 32 for 0. */
    @CUDA public def numberOfLeadingZeros():Int {
        // All bits below the highest one become ones as well.
        var rest:UInt = this;
        rest |= rest >>> 1;
        rest |= rest >>> 2;
        rest |= rest >>> 4;
        rest |= rest >>> 8;
        rest |= rest >>> 16;
        return (~rest).bitCount();
    }
    /** How many bits below the lowest set one are zero; 32 for 0. */
    @CUDA public def numberOfTrailingZeros():Int = (~this & (this - 1un)).bitCount();
    /** Only the highest set bit. */
    @CUDA public def highestOneBit():UInt = this == 0un ? 0un : 1un << (31 - numberOfLeadingZeros());
    /** Only the lowest set bit. */
    @CUDA public def lowestOneBit():UInt = this & -this;
    /** The bits moved left, those that fall out coming in at the right. */
    @CUDA public def rotateLeft(distance:Int):UInt = (this << distance) | (this >>> (32 - distance));
    /** The bits moved right, those that fall out coming in at the left. */
    @CUDA public def rotateRight(distance:Int):UInt = (this >>> distance) | (this << (32 - distance));
    /** The bits in opposite order. */
    @CUDA public def reverse():UInt {
        var rest:UInt = this;
        rest = ((rest >>> 1) & 0x55555555un) | ((rest & 0x55555555un) << 1);
        rest = ((rest >>> 2) & 0x33333333un) | ((rest & 0x33333333un) << 2);
        rest = ((rest >>> 4) & 0x0f0f0f0fun) | ((rest & 0x0f0f0f0fun) << 4);
        return rest.reverseBytes();
    }
    /** -1, 0 or 1. */
    @CUDA public def signum():Int = this == 0un ? 0n : (this > 0un ? 1n : -1n);
    /** The bytes in opposite order. */
    @CUDA public def reverseBytes():UInt {
        val pairs = ((this >>> 8) & 0x00ff00ffun) | ((this & 0x00ff00ffun) << 8);
        return (pairs >>> 16) | (pairs << 16);
    }
    /** A hash of the value. */
    @CUDA public def hashCode():Int = this as Int;
    /** Whether x is the same number, as a UInt. */
    public def equals(x:Any):Boolean = x instanceof UInt && (x as UInt) == this;
    /** Whether x is the same number. */
    @CUDA public def equals(x:UInt):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero. */
    @CUDA public def compareTo(x:UInt):Int = this < x ? -1n : (this > x ? 1n : 0n);
}
