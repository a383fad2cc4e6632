package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Inline;

/** A complex number in double precision. */
public struct Complex implements Arithmetic[Complex] {
    /** The real part. */
    public val re:Double;
    /** The imaginary part. */
    public val im:Double;

    /** 0. */
    public static ZERO:Complex = Complex(0.0, 0.0);
    /** 1. */
    public static ONE:Complex = Complex(1.0, 0.0);
    /** The imaginary unit. */
    public static I:Complex = Complex(0.0, 1.0);
    /** Infinity. */
    public static INF:Complex = Complex(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
    /** Not a number. */
    public static NaN:Complex = Complex(Double.NaN, Double.NaN);

    /** The number with these parts. */
    @CUDA public @Inline def this(real:Double, imaginary:Double) { this.re = real; this.im = imaginary; }

    /** Sum. */
    @CUDA public operator this + (that:Complex):Complex = Complex(re + that.re, im + that.im);
    /** Sum. */
    @CUDA public static operator (x:Double) + (y:Complex):Complex = Complex(x + y.re, y.im);
    /** Sum. */
    @CUDA public operator this + (that:Double):Complex = Complex(re + that, im);
    /** Difference. */
    @CUDA public operator this - (that:Complex):Complex = Complex(re - that.re, im - that.im);
    /** Difference. */
    @CUDA public static operator (x:Double) - (y:Complex):Complex = Complex(x - y.re, -y.im);
    /** Difference. */
    @CUDA public operator this - (that:Double):Complex = Complex(re - that, im);
    /** Product. */
    @CUDA public operator this * (that:Complex):Complex = Complex(re * that.re - im * that.im, re * that.im + im * that.re);
    /** Product. */
    @CUDA public static operator (x:Double) * (y:Complex):Complex = Complex(x * y.re, x * y.im);
    /** Product. */
    @CUDA public operator this * (that:Double):Complex = Complex(re * that, im * that);
    /** Quotient, by Smith's method: it does not overflow where the quotient does not. */
    @CUDA public operator this / (that:Complex):Complex {
        if (isNaN() || that.isNaN()) return NaN;
        if (that.re == 0.0 && that.im == 0.0) return re == 0.0 && im == 0.0 ? NaN : INF;
        if (that.isInfinite()) return isInfinite() ? NaN : ZERO;
        if (Math.abs(that.re) >= Math.abs(that.im)) {
            val ratio = that.im / that.re;
            val scale = that.re + that.im * ratio;
            return Complex((re + im * ratio) / scale, (im - re * ratio) / scale);
        }
        val ratio = that.re / that.im;
        val scale = that.re * ratio + that.im;
        return Complex((re * ratio + im) / scale, (im * ratio - re) / scale);
    }
    /** Quotient. */
    @CUDA public static operator (x:Double) / (y:Complex):Complex = Complex(x, 0.0) / y;
    /** Quotient. */
    @CUDA public operator this / (that:Double):Complex = Complex(re / that, im / that);
    /** This number. */
    @CUDA public operator + this:Complex = this;
    /** The negative. */
    @CUDA public operator - this:Complex = Complex(-re, -im);

    /** The number with the opposite imaginary part. */
    @CUDA public def conjugate():Complex = Complex(re, -im);
    /** The distance from 0. */
    @CUDA public def abs():Double = Math.hypot(re, im);
    /** Whether a part is not a number. */
    @CUDA public def isNaN():Boolean = re.isNaN() || im.isNaN();
    /** Whether a part is infinite and none is not a number. */
    @CUDA public def isInfinite():Boolean = (re.isInfinite() || im.isInfinite()) && !isNaN();
    /** "1.0 + 2.0i". */
    public def toString():String = im < 0.0 ? re + " - " + (-im) + "i" : re + " + " + im + "i";
    /** A hash of both parts. */
    public def hashCode():Int = 31n * re.hashCode() + im.hashCode();
}
