package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;

/** Mathematical functions. In kernels they are the device's own, in the argument's precision. */
public class Math {
    /** The base of natural logarithms. */
    public static E:Double = 2.718281828459045;
    /** The circumference of a circle of diameter 1. */
    public static PI:Double = 3.141592653589793;

    /** The absolute value; MIN_VALUE stays itself. */
    @Intrinsic("op.abs") public static native def abs(a:Int):Int;
    /** The absolute value; MIN_VALUE stays itself. */
    @Intrinsic("op.abs") public static native def abs(a:Long):Long;
    /** The absolute value. */
    @Intrinsic("op.abs") public static native def abs(a:Float):Float;
    /** The absolute value. */
    @Intrinsic("op.abs") public static native def abs(a:Double):Double;
    /** The greater. */
    @Intrinsic("op.max") public static native def max(a:Int, b:Int):Int;
    /** The lesser. */
    @Intrinsic("op.min") public static native def min(a:Int, b:Int):Int;
    /** The greater. */
    @Intrinsic("op.max") public static native def max(a:UInt, b:UInt):UInt;
    /** The lesser. */
    @Intrinsic("op.min") public static native def min(a:UInt, b:UInt):UInt;
    /** The greater. */
    @Intrinsic("op.max") public static native def max(a:Long, b:Long):Long;
    /** The lesser. */
    @Intrinsic("op.min") public static native def min(a:Long, b:Long):Long;
    /** The greater. */
    @Intrinsic("op.max") public static native def max(a:ULong, b:ULong):ULong;
    /** The lesser. */
    @Intrinsic("op.min") public static native def min(a:ULong, b:ULong):ULong;
    /** The greater; the other one if one is NaN. */
    @Intrinsic("op.max") public static native def max(a:Float, b:Float):Float;
    /** The lesser; the other one if one is NaN. */
    @Intrinsic("op.min") public static native def min(a:Float, b:Float):Float;
    /** The greater; the other one if one is NaN. */
    @Intrinsic("op.max") public static native def max(a:Double, b:Double):Double;
    /** The lesser; the other one if one is NaN. */
    @Intrinsic("op.min") public static native def min(a:Double, b:Double):Double;
    /** Square root. */
    @Intrinsic("op.sqrt") public static native def sqrt(a:Double):Double;
    /** Square root. */
    @Intrinsic("op.sqrt") public static native def sqrt(a:Float):Float;
    /** Square root. */
    @CUDA public static def sqrt(a:Int):Double = sqrt(a as Double);
    /** Square root. */
    @CUDA public static def sqrt(a:Long):Double = sqrt(a as Double);
    /** Square root, in single precision. */
    @Intrinsic("op.sqrt") public static native def sqrtf(a:Float):Float;
    /** Cube root. */
    @Intrinsic("op.cbrt") public static native def cbrt(a:Double):Double;
    /** Cube root, in single precision. */
    @Intrinsic("op.cbrt") public static native def cbrtf(a:Float):Float;
    /** e to the power of a. */
    @Intrinsic("op.exp") public static native def exp(a:Double):Double;
    /** e to the power of a. */
    @Intrinsic("op.exp") public static native def exp(a:Float):Float;
    /** e to the power of a. */
    @CUDA public static def exp(a:Int):Double = exp(a as Double);
    /** e to the power of a. */
    @CUDA public static def exp(a:Long):Double = exp(a as Double);
    /** e to the power of a, in single precision. */
    @Intrinsic("op.exp") public static native def expf(a:Float):Float;
    /** e to the power of a, minus 1, precise near 0. */
    @Intrinsic("op.expm1") public static native def expm1(a:Double):Double;
    /** e to the power of a, minus 1, precise near 0, in single precision. */
    @Intrinsic("op.expm1") public static native def expm1f(a:Float):Float;
    /** Natural logarithm. */
    @Intrinsic("op.log") public static native def log(a:Double):Double;
    /** Natural logarithm. */
    @Intrinsic("op.log") public static native def log(a:Float):Float;
    /** Natural logarithm. */
    @CUDA public static def log(a:Int):Double = log(a as Double);
    /** Natural logarithm. */
    @CUDA public static def log(a:Long):Double = log(a as Double);
    /** Natural logarithm, in single precision. */
    @Intrinsic("op.log") public static native def logf(a:Float):Float;
    /** Logarithm to base 10. */
    @Intrinsic("op.log10") public static native def log10(a:Double):Double;
    /** Logarithm to base 10, in single precision. */
    @Intrinsic("op.log10") public static native def log10f(a:Float):Float;
    /** Natural logarithm of 1 + a, precise near 0. */
    @Intrinsic("op.log1p") public static native def log1p(a:Double):Double;
    /** Natural logarithm of 1 + a, precise near 0, in single precision. */
    @Intrinsic("op.log1p") public static native def log1pf(a:Float):Float;
    /** Sine of an angle in radians. */
    @Intrinsic("op.sin") public static native def sin(a:Double):Double;
    /** Sine of an angle in radians, in single precision. */
    @Intrinsic("op.sin") public static native def sinf(a:Float):Float;
    /** Cosine of an angle in radians. */
    @Intrinsic("op.cos") public static native def cos(a:Double):Double;
    /** Cosine of an angle in radians, in single precision. */
    @Intrinsic("op.cos") public static native def cosf(a:Float):Float;
    /** Tangent of an angle in radians. */
    @Intrinsic("op.tan") public static native def tan(a:Double):Double;
    /** Tangent of an angle in radians, in single precision. */
    @Intrinsic("op.tan") public static native def tanf(a:Float):Float;
    /** Arc sine. */
    @Intrinsic("op.asin") public static native def asin(a:Double):Double;
    /** Arc sine, in single precision. */
    @Intrinsic("op.asin") public static native def asinf(a:Float):Float;
    /** Arc cosine. */
    @Intrinsic("op.acos") public static native def acos(a:Double):Double;
    /** Arc cosine, in single precision. */
    @Intrinsic("op.acos") public static native def acosf(a:Float):Float;
    /** Arc tangent. */
    @Intrinsic("op.atan") public static native def atan(a:Double):Double;
    /** Arc tangent, in single precision. */
    @Intrinsic("op.atan") public static native def atanf(a:Float):Float;
    /** Hyperbolic sine. */
    @Intrinsic("op.sinh") public static native def sinh(a:Double):Double;
    /** Hyperbolic sine, in single precision. */
    @Intrinsic("op.sinh") public static native def sinhf(a:Float):Float;
    /** Hyperbolic cosine. */
    @Intrinsic("op.cosh") public static native def cosh(a:Double):Double;
    /** Hyperbolic cosine, in single precision. */
    @Intrinsic("op.cosh") public static native def coshf(a:Float):Float;
    /** Hyperbolic tangent. */
    @Intrinsic("op.tanh") public static native def tanh(a:Double):Double;
    /** Hyperbolic tangent, in single precision. */
    @Intrinsic("op.tanh") public static native def tanhf(a:Float):Float;
    /** The greatest whole number that is not greater. */
    @Intrinsic("op.floor") public static native def floor(a:Double):Double;
    /** The greatest whole number that is not greater, in single precision. */
    @Intrinsic("op.floor") public static native def floorf(a:Float):Float;
    /** The least whole number that is not less. */
    @Intrinsic("op.ceil") public static native def ceil(a:Double):Double;
    /** The least whole number that is not less, in single precision. */
    @Intrinsic("op.ceil") public static native def ceilf(a:Float):Float;
    /** The nearest whole number, halves away from zero. */
    @CUDA public static def round(a:Double):Double {
        val size = abs(a);
        val below = floor(size);
        val nearest = size - below >= 0.5 ? below + 1.0 : below;
        return a < 0.0 ? -nearest : nearest;
    }
    /** The nearest whole number, halves away from zero. */
    @CUDA public static def round(a:Float):Float {
        val size = abs(a);
        val below = floorf(size);
        val nearest = size - below >= 0.5f ? below + 1.0f : below;
        return a < 0.0f ? -nearest : nearest;
    }
    /** The nearest whole number, halves to the even one. */
    @Intrinsic("op.round") public static native def rint(a:Double):Double;
    /** a to the power of b. */
    @Intrinsic("op.pow") public static native def pow(a:Double, b:Double):Double;
    /** a to the power of b. */
    @Intrinsic("op.pow") public static native def pow(a:Float, b:Float):Float;
    /** a to the power of b, in single precision. */
    @Intrinsic("op.pow") public static native def powf(a:Float, b:Float):Float;
    /** a to the power of b. */
    @CUDA public static def pow(a:Int, b:Double):Double = pow(a as Double, b as Double);
    /** a to the power of b. */
    @CUDA public static def pow(a:Double, b:Int):Double = pow(a as Double, b as Double);
    /** a to the power of b. */
    @CUDA public static def pow(a:Int, b:Int):Double = pow(a as Double, b as Double);
    /** a to the power of b. */
    @CUDA public static def pow(a:Long, b:Double):Double = pow(a as Double, b as Double);
    /** a to the power of b. */
    @CUDA public static def pow(a:Double, b:Long):Double = pow(a as Double, b as Double);
    /** a to the power of b. */
    @CUDA public static def pow(a:Long, b:Long):Double = pow(a as Double, b as Double);
    /** The angle of the point (b, a), from -PI to PI. */
    @Intrinsic("op.atan2") public static native def atan2(a:Double, b:Double):Double;
    /** The length of (a, b), without overflow in between. */
    @Intrinsic("op.hypot") public static native def hypot(a:Double, b:Double):Double;
    /** a * b + c, rounded once. */
    @Intrinsic("op.fma") public static native def fma(a:Double, b:Double, c:Double):Double;
    /** a * b + c, rounded once. */
    @Intrinsic("op.fma") public static native def fma(a:Float, b:Float, c:Float):Float;
    /** 1 / sqrt(a), in single precision. */
    @Intrinsic("op.rsqrt") public static native def rsqrtf(a:Float):Float;
    /** The error function. */
    @Intrinsic("op.erf") public static native def erf(a:Double):Double;
    /** 1 - erf(a), precise for large a. */
    @Intrinsic("op.erfc") public static native def erfc(a:Double):Double;
    /** -1, 0 or 1 as a is negative, zero or positive. */
    @CUDA public static def signum(a:Int):Int = a == 0n ? 0n : (a > 0n ? 1n : -1n);
    /** -1, 0 or 1 as a is negative, zero or positive. */
    @CUDA public static def signum(a:Long):Long = a == 0 ? 0 : (a > 0 ? 1 : -1);
    /** -1, 0 or 1 as a is negative, zero or positive. */
    @CUDA public static def signum(a:Float):Float = a == 0.0f ? 0.0f : (a > 0.0f ? 1.0f : -1.0f);
    /** -1, 0 or 1 as a is negative, zero or positive. */
    @CUDA public static def signum(a:Double):Double = a == 0.0 ? 0.0 : (a > 0.0 ? 1.0 : -1.0);
    /** The least power of two that is not less than p; 0 for 0. */
    @CUDA public static def nextPowerOf2(p:Int):Int {
        if (p == 0n) return 0n;
        var power:Int = 1n;
        while (power < p) power = power << 1;
        return power;
    }
    /** Whether p is a power of two, or 0. */
    @CUDA public static def powerOf2(p:Int):Boolean = (p & -p) == p;
    /** The whole part of the logarithm to base 2 of p, which is positive. */
    @CUDA public static def log2(p:Int):Int {
        var rest:Int = p;
        var exponent:Int = 0n;
        while (rest > 1n) { rest = rest >> 1; exponent = exponent + 1n; }
        return exponent;
    }
    /** 2 to the power of i. */
    @CUDA public static def pow2(i:Int):Int = 1n << i;
    /** The least power of two that is not less than p; 0 for 0. */
    @CUDA public static def nextPowerOf2(p:Long):Long {
        if (p == 0) return 0;
        var power:Long = 1;
        while (power < p) power = power << 1;
        return power;
    }
    /** Whether p is a power of two, or 0. */
    @CUDA public static def powerOf2(p:Long):Boolean = (p & -p) == p;
    /** The whole part of the logarithm to base 2 of p, which is positive. */
    @CUDA public static def log2(p:Long):Long {
        var rest:Long = p;
        var exponent:Long = 0;
        while (rest > 1) { rest = rest >> 1; exponent = exponent + 1; }
        return exponent;
    }
    /** 2 to the power of i. */
    @CUDA public static def pow2(i:Long):Long = 1 << i;
    /** The size of a, negative if b is. */
    @CUDA public static def copySign(a:Double, b:Double):Double =
        Double.fromLongBits((a.toRawLongBits() & Long.MAX_VALUE) | (b.toRawLongBits() & Long.MIN_VALUE));
    /** The size of a, negative if b is. */
    @CUDA public static def copySign(a:Float, b:Float):Float =
        Float.fromIntBits((a.toRawIntBits() & Int.MAX_VALUE) | (b.toRawIntBits() & Int.MIN_VALUE));
    /** The exponent of a as a power of 2; 1024 for infinities and NaN, -1023 for 0 and subnormal numbers. */
    @CUDA public static def getExponent(a:Double):Int = (((a.toRawLongBits() >>> 52) & 0x7ff) - 1023) as Int;
    /** The exponent of a as a power of 2; 128 for infinities and NaN, -127 for 0 and subnormal numbers. */
    @CUDA public static def getExponent(a:Float):Int = ((a.toRawIntBits() >>> 23) & 0xffn) - 127n;
    /** a times 2 to the power of b, rounded once. */
    @Intrinsic("rt.math_scale") public static native def scalb(a:Double, b:Int):Double;
    /** a times 2 to the power of b, rounded once. */
    public static def scalb(a:Float, b:Int):Float = scalb(a as Double, max(-500n, min(500n, b))) as Float;
    /** The number beside a in the direction of b; b if they are equal. */
    @CUDA public static def nextAfter(a:Double, b:Double):Double {
        if (a.isNaN() || b.isNaN()) return Double.NaN;
        if (a == b) return b;
        if (a == 0.0) return copySign(Double.MIN_VALUE, b);
        return Double.fromLongBits(a.toRawLongBits() + ((a < b) == (a > 0.0) ? 1 : -1));
    }
    /** The number beside a in the direction of b; b if they are equal. */
    @CUDA public static def nextAfter(a:Float, b:Float):Float {
        if (a.isNaN() || b.isNaN()) return Float.NaN;
        if (a == b) return b;
        if (a == 0.0f) return copySign(Float.MIN_VALUE, b);
        return Float.fromIntBits(a.toRawIntBits() + ((a < b) == (a > 0.0f) ? 1n : -1n));
    }
    /** a less the nearest multiple of b, the even one of two. */
    @Intrinsic("rt.math_remainder") public static native def IEEEremainder(a:Double, b:Double):Double;

    /** e to the power of z. */
    @CUDA public static def exp(z:Complex):Complex {
        if (z.im == 0.0) return Complex(exp(z.re), z.im);
        val size = exp(z.re);
        return Complex(size * cos(z.im), size * sin(z.im));
    }
    /** The natural logarithm with an imaginary part from -PI to PI. */
    @CUDA public static def log(z:Complex):Complex = Complex(log(z.abs()), atan2(z.im, z.re));
    /** a to the power of b. */
    @CUDA public static def pow(a:Complex, b:Complex):Complex =
        a == Complex.ZERO ? (b == Complex.ZERO ? Complex.ONE : Complex.ZERO) : exp(log(a) * b);
    /** The square root whose real part is not negative. */
    @CUDA public static def sqrt(z:Complex):Complex {
        if (z.re == 0.0 && z.im == 0.0) return Complex(0.0, z.im);
        val half = sqrt((abs(z.re) + z.abs()) / 2.0);
        return z.re >= 0.0 ? Complex(half, z.im / (2.0 * half)) : Complex(abs(z.im) / (2.0 * half), copySign(half, z.im));
    }
    /** Sine. */
    @CUDA public static def sin(z:Complex):Complex = Complex(sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im));
    /** Cosine. */
    @CUDA public static def cos(z:Complex):Complex = Complex(cos(z.re) * cosh(z.im), -sin(z.re) * sinh(z.im));
    /** Tangent. */
    @CUDA public static def tan(z:Complex):Complex = timesMinusI(tanh(timesI(z)));
    /** Hyperbolic sine. */
    @CUDA public static def sinh(z:Complex):Complex = Complex(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im));
    /** Hyperbolic cosine. */
    @CUDA public static def cosh(z:Complex):Complex = Complex(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im));
    /** Hyperbolic tangent. */
    @CUDA public static def tanh(z:Complex):Complex {
        // Far out it is 1 or -1, where the parts of the quotient would overflow.
        if (abs(z.re) > 20.0) return Complex(z.re > 0.0 ? 1.0 : -1.0, 4.0 * sin(z.im) * cos(z.im) * exp(-2.0 * abs(z.re)));
        val scale = cosh(2.0 * z.re) + cos(2.0 * z.im);
        return Complex(sinh(2.0 * z.re) / scale, sin(2.0 * z.im) / scale);
    }
    /** Arc sine: the principal value. */
    @CUDA public static def asin(z:Complex):Complex = timesMinusI(log(timesI(z) + sqrt(1.0 - z * z)));
    /** Arc cosine: the principal value. */
    @CUDA public static def acos(z:Complex):Complex = PI / 2.0 - asin(z);
    /** Arc tangent: the principal value. */
    @CUDA public static def atan(z:Complex):Complex {
        val difference = log(1.0 - timesI(z)) - log(1.0 + timesI(z));
        return timesI(difference) * 0.5;
    }
    @CUDA private static def timesI(z:Complex):Complex = Complex(-z.im, z.re);
    @CUDA private static def timesMinusI(z:Complex):Complex = Complex(z.im, -z.re);
}
