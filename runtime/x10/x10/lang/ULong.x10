package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/**
 * A 64-bit unsigned integer. Arithmetic wraps around; division by zero raises an ArithmeticException;
 * shift counts are taken modulo 64.
 */
public struct ULong implements Comparable[ULong], Arithmetic[ULong], Bitwise[ULong], Ordered[ULong] {
    /** The least value. */
    public static MIN_VALUE:ULong = 0u;
    /** The greatest value. */
    public static MAX_VALUE:ULong = 0xffffffffffffffffu;

    /** Whether this is less than x. */
    @Intrinsic("op.lt") public native operator this < (x:ULong):Boolean;
    /** Whether this is greater than x. */
    @Intrinsic("op.gt") public native operator this > (x:ULong):Boolean;
    /** Whether this is at most x. */
    @Intrinsic("op.le") public native operator this <= (x:ULong):Boolean;
    /** Whether this is at least x. */
    @Intrinsic("op.ge") public native operator this >= (x:ULong):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:ULong):ULong;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:ULong):ULong;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:ULong):ULong;
    /** Quotient, rounded towards zero. */
    @Intrinsic("op.div") public native operator this / (x:ULong):ULong;
    /** Remainder, with the sign of this. */
    @Intrinsic("op.rem") public native operator this % (x:ULong):ULong;
    /** Bitwise and. */
    @Intrinsic("op.and") public native operator this & (x:ULong):ULong;
    /** Bitwise and with the bits of a signed value. */
    @CUDA public operator this & (x:Long):ULong = this & (x as ULong);
    /** Bitwise and with the bits of a signed value. */
    @CUDA public operator (x:Long) & this:ULong = (x as ULong) & this;
    /** Bitwise or. */
    @Intrinsic("op.or") public native operator this | (x:ULong):ULong;
    /** Bitwise or with the bits of a signed value. */
    @CUDA public operator this | (x:Long):ULong = this | (x as ULong);
    /** Bitwise or with the bits of a signed value. */
    @CUDA public operator (x:Long) | this:ULong = (x as ULong) | this;
    /** Bitwise exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:ULong):ULong;
    /** Bitwise exclusive or with the bits of a signed value. */
    @CUDA public operator this ^ (x:Long):ULong = this ^ (x as ULong);
    /** Bitwise exclusive or with the bits of a signed value. */
    @CUDA public operator (x:Long) ^ this:ULong = (x as ULong) ^ this;
    /** Shift left. */
    @Intrinsic("op.shl") public native operator this << (count:Long):ULong;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.shr") public native operator this >> (count:Long):ULong;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.ushr") public native operator this >>> (count:Long):ULong;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:ULong;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:ULong;
    /** Bitwise complement. */
    @Intrinsic("op.bit_not") public native operator ~ this:ULong;

    /** Converts; a negative value wraps around. */
    @Intrinsic("op.convert") public native static operator (x:Byte):ULong;
    /** Converts; a negative value wraps around. */
    @Intrinsic("op.convert") public native static operator (x:Short):ULong;
    /** Converts; a negative value wraps around. */
    @Intrinsic("op.convert") public native static operator (x:Int):ULong;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Long) as ULong;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UByte):ULong;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UShort):ULong;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UInt):ULong;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Float) as ULong;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Double) as ULong;

    /** The value in decimal. */
    @Intrinsic("rt.string_from_u64") public native def toString():String;
    /** The value in the given radix, 2 to 36. */
    @Intrinsic("rt.string_from_u64_radix") public native def toString(radix:Int):String;
    /** The bits in base 16, without leading zeros. */
    public def toHexString():String = this.toString(16n);
    /** The bits in base 8, without leading zeros. */
    public def toOctalString():String = this.toString(8n);
    /** The bits in base 2, without leading zeros. */
    public def toBinaryString():String = this.toString(2n);
    /** Reads a decimal number; raises a NumberFormatException if s is not one or does not fit. */
    public static def parse(s:String):ULong = parse(s, 10n);
    /** Reads a number in the given radix. */
    @Intrinsic("rt.parse_u64") public native static def parse(s:String, radix:Int):ULong;
    /** The same as parse. */
    public static def parseULong(s:String):ULong = parse(s, 10n);
    /** The same as parse. */
    public static def parseULong(s:String, radix:Int):ULong = parse(s, radix);

    /** How many bits are set. */
    @CUDA public def bitCount():Int {
        // Sums of pairs of bits, of four, of eight; the product adds up the bytes.
        val pairs = this - ((this >>> 1) & 0x5555555555555555u);
        val fours = (pairs & 0x3333333333333333u) + ((pairs >>> 2) & 0x3333333333333333u);
        return ((((fours + (fours >>> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >>> 56) as Int;
    }
    /** How many bits above the highest set one are zero; 64 for 0. */
    @CUDA public def numberOfLeadingZeros():Int {
        // All bits below the highest one become ones as well.
        var rest:ULong = this;
        rest |= rest >>> 1;
        rest |= rest >>> 2;
        rest |= rest >>> 4;
        rest |= rest >>> 8;
        rest |= rest >>> 16;
        rest |= rest >>> 32;
        return (~rest).bitCount();
    }
    /** How many bits below the lowest set one are zero; 64 for 0. */
    @CUDA public def numberOfTrailingZeros():Int = (~this & (this - 1u)).bitCount();
    /** Only the highest set bit. */
    @CUDA public def highestOneBit():ULong = this == 0u ? 0u : 1u << (63 - numberOfLeadingZeros());
    /** Only the lowest set bit. */
    @CUDA public def lowestOneBit():ULong = this & -this;
    /** The bits moved left, those that fall out coming in at the right. */
    @CUDA public def rotateLeft(distance:Int):ULong = (this << distance) | (this >>> (64 - distance));
    /** The bits moved right, those that fall out coming in at the left. */
    @CUDA public def rotateRight(distance:Int):ULong = (this >>> distance) | (this << (64 - distance));
    /** The bits in opposite order. */
    @CUDA public def reverse():ULong {
        var rest:ULong = this;
        rest = ((rest >>> 1) & 0x5555555555555555u) | ((rest & 0x5555555555555555u) << 1);
        rest = ((rest >>> 2) & 0x3333333333333333u) | ((rest & 0x3333333333333333u) << 2);
        rest = ((rest >>> 4) & 0x0f0f0f0f0f0f0f0fu) | ((rest & 0x0f0f0f0f0f0f0f0fu) << 4);
        return rest.reverseBytes();
    }
    /** -1, 0 or 1. */
    @CUDA public def signum():Int = this == 0u ? 0n : (this > 0u ? 1n : -1n);
    /** The bytes in opposite order. */
    @CUDA public def reverseBytes():ULong {
        val pairs = ((this >>> 8) & 0x00ff00ff00ff00ffu) | ((this & 0x00ff00ff00ff00ffu) << 8);
        val fours = ((pairs >>> 16) & 0x0000ffff0000ffffu) | ((pairs & 0x0000ffff0000ffffu) << 16);
        return (fours >>> 32) | (fours << 32);
    }
    /** A hash of the value. */
    @CUDA public def hashCode():Int = (this ^ (this >>> 32)) as Int;
    /** Whether x is the same number, as a ULong. */
    public def equals(x:Any):Boolean = x instanceof ULong && (x as ULong) == this;
    /** Whether x is the same number. */
    @CUDA public def equals(x:ULong):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero. */
    @CUDA public def compareTo(x:ULong):Int = this < x ? -1n : (this > x ? 1n : 0n);
}
