/** Complex numbers, and the parts of Double that few programs take apart. */
public class complex {
  static def show(what:String, value:Any) { Console.OUT.println(what + ": " + value); }
  static def near(a:Complex, b:Complex):Boolean = (a - b).abs() <= 1e-12 * Math.max(1.0, b.abs());
  static def near(a:Double, b:Double):Boolean = a == b || a.isNaN() && b.isNaN();

  public static def main(Rail[String]) {
    val a = Complex(3.0, -4.0);
    val b = Complex(0.5, 2.0);
    show("sums", (a + b) + " " + (a - b) + " " + (1.0 + a) + " " + (a - 1.0) + " " + (2.0 - a) + " " + -a);
    show("products", (a * b) + " " + (2.0 * a) + " " + (a / 2.0) + " " + a.abs() + " " + a.conjugate());
    show("quotient", near(a / b * b, a) + " " + near(1.0 / b * b, Complex.ONE) + " " + (a / Complex.ZERO) + " " + (Complex.ZERO / Complex.ZERO).isNaN());
    show("huge", (Complex(1e300, 1e300) / Complex(1e300, 1e300)) + " " + Complex(1e200, 1e200).abs().isInfinite());
    show("equal", (a == Complex(3.0, -4.0)) + " " + a.equals(Complex(3.0, 4.0)) + " " + (a.hashCode() == Complex(3.0, -4.0).hashCode()));
    val points = [Complex(0.3, 0.7), Complex(-1.2, 0.4), Complex(0.1, -2.5), Complex(-0.6, -0.2), Complex(2.0, 0.0)];
    var good:Boolean = true;
    for (z in points) {
      good &= near(Math.sqrt(z) * Math.sqrt(z), z) && Math.sqrt(z).re >= 0.0;
      good &= near(Math.exp(Math.log(z)), z) && near(Math.pow(z, Complex(2.0, 0.0)), z * z);
      good &= near(Math.sin(z) * Math.sin(z) + Math.cos(z) * Math.cos(z), Complex.ONE);
      good &= near(Math.cosh(z) * Math.cosh(z) - Math.sinh(z) * Math.sinh(z), Complex.ONE);
      good &= near(Math.tan(z), Math.sin(z) / Math.cos(z)) && near(Math.tanh(z), Math.sinh(z) / Math.cosh(z));
      good &= near(Math.sin(Math.asin(z)), z) && near(Math.cos(Math.acos(z)), z) && near(Math.tan(Math.atan(z)), z);
      if (!good) { show("wrong", z); good = true; }
    }
    show("far", Math.tanh(Complex(800.0, 1.0)).re + " " + Math.exp(Complex(0.0, Math.PI)).re + " " + Math.log(Complex(-1.0, 0.0)).im);
    show("exponents", Math.getExponent(1.0) + " " + Math.getExponent(0.1) + " " + Math.getExponent(1e-320) + " " + Math.getExponent(-1024.0f) + " " + Math.getExponent(Double.NaN));
    show("scaled", Math.scalb(1.5, 4n) + " " + Math.scalb(1.0, -1074n) + " " + Math.scalb(1.0, 3000n) + " " + Math.scalb(3.0f, -1n));
    show("signs", Math.copySign(2.0, -0.0) + " " + Math.copySign(-3.0f, 1.0f));
    show("next", (Math.nextAfter(1.0, 2.0) - 1.0) + " " + Math.nextAfter(0.0, -1.0) + " " + Math.nextAfter(Double.MAX_VALUE, Double.POSITIVE_INFINITY) + " " + Math.nextAfter(1.0f, 1.0f));
    show("remainder", Math.IEEEremainder(5.0, 3.0) + " " + Math.IEEEremainder(4.5, 3.0) + " " + Math.IEEEremainder(-7.0, 2.0));
    show("small", (6y).reverse() + " " + (1uy).reverse() + " " + (1s).reverse() + " " + (-5s).signum() + " " + (3us).reverse());
    show("titles", (0x1c6n as Char).toTitleCase().ord() + " " + (0x1c5n as Char).isTitleCase() + " " + 'a'.toTitleCase());
  }
}
