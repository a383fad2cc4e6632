package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/**
 * A 64-bit signed integer. Arithmetic wraps around; division by zero raises an ArithmeticException;
 * shift counts are taken modulo 64.
 */
public struct Long implements Comparable[Long], Arithmetic[Long], Bitwise[Long], Ordered[Long] {
    /** The least value. */
    public static MIN_VALUE:Long = -9223372036854775807 - 1;
    /** The greatest value. */
    public static MAX_VALUE:Long = 9223372036854775807;

    /** Whether this is less than x. */
    @Intrinsic("op.lt") public native operator this < (x:Long):Boolean;
    /** Whether this is greater than x. */
    @Intrinsic("op.gt") public native operator this > (x:Long):Boolean;
    /** Whether this is at most x. */
    @Intrinsic("op.le") public native operator this <= (x:Long):Boolean;
    /** Whether this is at least x. */
    @Intrinsic("op.ge") public native operator this >= (x:Long):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:Long):Long;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:Long):Long;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:Long):Long;
    /** Quotient, rounded towards zero. */
    @Intrinsic("op.div") public native operator this / (x:Long):Long;
    /** Remainder, with the sign of this. */
    @Intrinsic("op.rem") public native operator this % (x:Long):Long;
    /** Bitwise and. */
    @Intrinsic("op.and") public native operator this & (x:Long):Long;
    /** Bitwise or. */
    @Intrinsic("op.or") public native operator this | (x:Long):Long;
    /** Bitwise exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:Long):Long;
    /** Shift left. */
    @Intrinsic("op.shl") public native operator this << (count:Long):Long;
    /** Shift right, keeping the sign. */
    @Intrinsic("op.shr") public native operator this >> (count:Long):Long;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.ushr") public native operator this >>> (count:Long):Long;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:Long;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:Long;
    /** Bitwise complement. */
    @Intrinsic("op.bit_not") public native operator ~ this:Long;

    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:Byte):Long;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:Short):Long;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:Int):Long;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UByte):Long;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UShort):Long;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UInt):Long;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:ULong) as Long;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Float) as Long;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Double) as Long;

    /** The value in decimal. */
    @Intrinsic("rt.string_from_i64") public native def toString():String;
    /** The value in the given radix, 2 to 36, with a minus sign if negative. */
    @Intrinsic("rt.string_from_i64_radix") public native def toString(radix:Int):String;
    /** The value in base 16, with a minus sign if it is negative. The digits of its bits are those of the unsigned value. */
    public def toHexString():String = this.toString(16n);
    /** The value in base 8, with a minus sign if it is negative. The digits of its bits are those of the unsigned value. */
    public def toOctalString():String = this.toString(8n);
    /** The value in base 2, with a minus sign if it is negative. The digits of its bits are those of the unsigned value. */
    public def toBinaryString():String = this.toString(2n);
    /** Reads a decimal number; raises a NumberFormatException if s is not one or does not fit. */
    public static def parse(s:String):Long = parse(s, 10n);
    /** Reads a number in the given radix. */
    @Intrinsic("rt.parse_i64") public native static def parse(s:String, radix:Int):Long;
    /** The same as parse. */
    public static def parseLong(s:String):Long = parse(s, 10n);
    /** The same as parse. */
    public static def parseLong(s:String, radix:Int):Long = parse(s, radix);

    /** How many bits are set. */
    @CUDA public def bitCount():Int {
        // Sums of pairs of bits, of four, of eight; the product adds up the bytes.
        val pairs = this - ((this >>> 1) & 0x5555555555555555);
        val fours = (pairs & 0x3333333333333333) + ((pairs >>> 2) & 0x3333333333333333);
        return ((((fours + (fours >>> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101) >>> 56) as Int;
    }
    /** How many bits above the highest set one are zero; 64 for 0. */
    @CUDA public def numberOfLeadingZeros():Int {
        // All bits below the highest one become ones as well.
        var rest:Long = this;
        rest |= rest >>> 1;
        rest |= rest >>> 2;
        rest |= rest >>> 4;
        rest |= rest >>> 8;
        rest |= rest >>> 16;
        rest |= rest >>> 32;
        return (~rest).bitCount();
    }
    /** How many bits below the lowest set one are zero; 64 for 0. */
    @CUDA public def numberOfTrailingZeros():Int = (~this & (this - 1)).bitCount();
    /** Only the highest set bit. */
    @CUDA public def highestOneBit():Long = this == 0 ? 0 : 1 << (63 - numberOfLeadingZeros());
    /** Only the lowest set bit. */
    @CUDA public def lowestOneBit():Long = this & -this;
    /** The bits moved left, those that fall out coming in at the right. */
    @CUDA public def rotateLeft(distance:Int):Long = (this << distance) | (this >>> (64 - distance));
    /** The bits moved right, those that fall out coming in at the left. */
    @CUDA public def rotateRight(distance:Int):Long = (this >>> distance) | (this << (64 - distance));
    /** The bits in opposite order. */
    @CUDA public def reverse():Long {
        var rest:Long = this;
        rest = ((rest >>> 1) & 0x5555555555555555) | ((rest & 0x5555555555555555) << 1);
        rest = ((rest >>> 2) & 0x3333333333333333) | ((rest & 0x3333333333333333) << 2);
        rest = ((rest >>> 4) & 0x0f0f0f0f0f0f0f0f) | ((rest & 0x0f0f0f0f0f0f0f0f) << 4);
        return rest.reverseBytes();
    }
    /** -1, 0 or 1. */
    @CUDA public def signum():Int = this == 0 ? 0n : (this > 0 ? 1n : -1n);
    /** The bytes in opposite order. */
    @CUDA public def reverseBytes():Long {
        val pairs = ((this >>> 8) & 0x00ff00ff00ff00ff) | ((this & 0x00ff00ff00ff00ff) << 8);
        val fours = ((pairs >>> 16) & 0x0000ffff0000ffff) | ((pairs & 0x0000ffff0000ffff) << 16);
        return (fours >>> 32) | (fours << 32);
    }
    /** A hash of the value. */
    @CUDA public def hashCode():Int = (this ^ (this >>> 32)) as Int;
    /** Whether x is the same number, as a Long. */
    public def equals(x:Any):Boolean = x instanceof Long && (x as Long) == this;
    /** Whether x is the same number. */
    @CUDA public def equals(x:Long):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero. */
    @CUDA public def compareTo(x:Long):Int = this < x ? -1n : (this > x ? 1n : 0n);
    /** The range from x to y, both included; empty if y is less than x. */
    public static operator (x:Long) .. (y:Long):LongRange{self.min==x,self.max==y} = LongRange(x, y);
}

/** The Long that is equal to value. */
public type Long(value:Long) = Long{self==value};
