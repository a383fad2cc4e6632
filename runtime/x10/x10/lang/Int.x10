package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/**
 * A 32-bit signed integer. Arithmetic wraps around; division by zero raises an ArithmeticException;
 * shift counts are taken modulo 32.
 */
public struct Int implements Comparable[Int], Arithmetic[Int], Bitwise[Int], Ordered[Int] {
    /** The least value. */
    public static MIN_VALUE:Int = -2147483647n - 1n;
    /** The greatest value. */
    public static MAX_VALUE:Int = 2147483647n;

    /** Whether this is less than x. */
    @Intrinsic("op.lt") public native operator this < (x:Int):Boolean;
    /** Whether this is greater than x. */
    @Intrinsic("op.gt") public native operator this > (x:Int):Boolean;
    /** Whether this is at most x. */
    @Intrinsic("op.le") public native operator this <= (x:Int):Boolean;
    /** Whether this is at least x. */
    @Intrinsic("op.ge") public native operator this >= (x:Int):Boolean;
    /** Sum. */
    @Intrinsic("op.add") public native operator this + (x:Int):Int;
    /** Difference. */
    @Intrinsic("op.sub") public native operator this - (x:Int):Int;
    /** Product. */
    @Intrinsic("op.mul") public native operator this * (x:Int):Int;
    /** Quotient, rounded towards zero. */
    @Intrinsic("op.div") public native operator this / (x:Int):Int;
    /** Remainder, with the sign of this. */
    @Intrinsic("op.rem") public native operator this % (x:Int):Int;
    /** Bitwise and. */
    @Intrinsic("op.and") public native operator this & (x:Int):Int;
    /** Bitwise or. */
    @Intrinsic("op.or") public native operator this | (x:Int):Int;
    /** Bitwise exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:Int):Int;
    /** Shift left. */
    @Intrinsic("op.shl") public native operator this << (count:Long):Int;
    /** Shift right, keeping the sign. */
    @Intrinsic("op.shr") public native operator this >> (count:Long):Int;
    /** Shift right, filling with zeros. */
    @Intrinsic("op.ushr") public native operator this >>> (count:Long):Int;
    /** This value. */
    @Intrinsic("op.convert") public native operator + this:Int;
    /** The negative. */
    @Intrinsic("op.neg") public native operator - this:Int;
    /** Bitwise complement. */
    @Intrinsic("op.bit_not") public native operator ~ this:Int;

    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:Byte):Int;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:Short):Int;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Long) as Int;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UByte):Int;
    /** Converts without loss. */
    @Intrinsic("op.convert") public native static operator (x:UShort):Int;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:UInt) as Int;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:ULong) as Int;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Float) as Int;
    /** Converts; what does not fit is cut off (floating point saturates). */
    @Intrinsic("op.convert") public native static operator (x:Double) as Int;

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
    public static def parse(s:String):Int = parse(s, 10n);
    /** Reads a number in the given radix. */
    public static def parse(s:String, radix:Int):Int {
        val value = Long.parse(s, radix);
        if (value < (MIN_VALUE as Long) || value > (MAX_VALUE as Long)) throw new NumberFormatException("\"" + s + "\" does not fit an Int");
        return value as Int;
    }
    /** The same as parse. */
    public static def parseInt(s:String):Int = parse(s, 10n);
    /** The same as parse. */
    public static def parseInt(s:String, radix:Int):Int = parse(s, radix);

    /** How many bits are set. */
    @CUDA public def bitCount():Int {
        // Sums of pairs of bits, of four, of eight; the product adds up the bytes.
        val pairs = this - ((this >>> 1) & 0x55555555n);
        val fours = (pairs & 0x33333333n) + ((pairs >>> 2) & 0x33333333n);
        return ((((fours + (fours >>> 4)) & 0x0f0f0f0fn) * 0x01010101n) >>> 24);
    }
    /** How many bits above the highest set one are zero; 32 for 0. */
    @CUDA public def numberOfLeadingZeros():Int {
        // All bits below the highest one become ones as well.
        var rest:Int = this;
        rest |= rest >>> 1;
        rest |= rest >>> 2;
        rest |= rest >>> 4;
        rest |= rest >>> 8;
        rest |= rest >>> 16;
        return (~rest).bitCount();
    }
    /** How many bits below the lowest set one are zero; 32 for 0. */
    @CUDA public def numberOfTrailingZeros():Int = (~this & (this - 1n)).bitCount();
    /** Only the highest set bit. */
    @CUDA public def highestOneBit():Int = this == 0n ? 0n : 1n << (31 - numberOfLeadingZeros());
    /** Only the lowest set bit. */
    @CUDA public def lowestOneBit():Int = this & -this;
    /** The bits moved left, those that fall out coming in at the right. */
    @CUDA public def rotateLeft(distance:Int):Int = (this << distance) | (this >>> (32 - distance));
    /** The bits moved right, those that fall out coming in at the left. */
    @CUDA public def rotateRight(distance:Int):Int = (this >>> distance) | (this << (32 - distance));
    /** The bits in opposite order. */
    @CUDA public def reverse():Int {
        var rest:Int = this;
        rest = ((rest >>> 1) & 0x55555555n) | ((rest & 0x55555555n) << 1);
        rest = ((rest >>> 2) & 0x33333333n) | ((rest & 0x33333333n) << 2);
        rest = ((rest >>> 4) & 0x0f0f0f0fn) | ((rest & 0x0f0f0f0fn) << 4);
        return rest.reverseBytes();
    }
    /** -1, 0 or 1. */
    @CUDA public def signum():Int = this == 0n ? 0n : (this > 0n ? 1n : -1n);
    /** The bytes in opposite order. */
    @CUDA public def reverseBytes():Int {
        val pairs = ((this >>> 8) & 0x00ff00ffn) | ((this & 0x00ff00ffn) << 8);
        return (pairs >>> 16) | (pairs << 16);
    }
    /** A hash of the value. */
    @CUDA public def hashCode():Int = this;
    /** Whether x is the same number, as an Int. */
    public def equals(x:Any):Boolean = x instanceof Int && (x as Int) == this;
    /** Whether x is the same number. */
    @CUDA public def equals(x:Int):Boolean = this == x;
    /** Below zero where this comes before x, above zero where it comes after x, otherwise zero. */
    @CUDA public def compareTo(x:Int):Int = this < x ? -1n : (this > x ? 1n : 0n);
    /** The range from x to y, both included; empty if y is less than x. */
    public static operator (x:Int) .. (y:Int):IntRange{self.min==x,self.max==y} = IntRange(x, y);
}

/** The Int that is equal to value. */
public type Int(value:Int) = Int{self==value};
