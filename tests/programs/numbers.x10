// Numbers of any size, matrices with operators, complex structs, closures and type definitions.
import x10.util.ArrayList;

public class numbers {
    static final class Big implements Comparable[Big] {
        private static val BASE = 1000000000;
        private val digits:Rail[Long];
        def this(n:Long) { digits = n < BASE ? [n] : [n % BASE, n / BASE]; }
        private def this(digits:ArrayList[Long]) {
            while (digits.size() > 1 && digits.getLast() == 0) digits.removeLast();
            this.digits = digits.toRail();
        }
        public static operator (n:Long):Big = new Big(n);
        public operator this + (that:Big):Big {
            val sum = new ArrayList[Long]();
            var carry:Long = 0;
            for (i in 0..Math.max(digits.size, that.digits.size)) {
                val s = carry + (i < digits.size ? digits(i) : 0) + (i < that.digits.size ? that.digits(i) : 0);
                sum.add(s % BASE);
                carry = s / BASE;
            }
            return new Big(sum);
        }
        public operator this * (that:Big):Big {
            val product = new Rail[Long](digits.size + that.digits.size + 1);
            for (i in digits.range()) {
                var carry:Long = 0;
                for (j in 0..that.digits.size) {
                    val p = product(i + j) + carry + (j < that.digits.size ? digits(i) * that.digits(j) : 0);
                    product(i + j) = p % BASE;
                    carry = p / BASE;
                }
            }
            val all = new ArrayList[Long]();
            for (d in product) all.add(d);
            return new Big(all);
        }
        public def compareTo(that:Big):Int {
            if (digits.size != that.digits.size) return digits.size.compareTo(that.digits.size);
            for (var i:Long = digits.size - 1; i >= 0; i--) if (digits(i) != that.digits(i)) return digits(i).compareTo(that.digits(i));
            return 0n;
        }
        public def equals(that:Any):Boolean = that instanceof Big && compareTo(that as Big) == 0n;
        public def hashCode():Int = digits(0) as Int;
        public def toString():String {
            var text:String = digits(digits.size - 1).toString();
            for (var i:Long = digits.size - 2; i >= 0; i--) {
                val part = digits(i).toString();
                for (1..(9 - part.length())) text += "0";
                text += part;
            }
            return text;
        }
    }

    static class Matrix[T](rows:Long, cols:Long){T haszero, T <: Arithmetic[T]} {
        private val data:Rail[T];
        def this(rows:Long, cols:Long, init:(Long,Long)=>T):Matrix[T]{self.rows==rows,self.cols==cols} {
            property(rows, cols);
            data = new Rail[T](rows * cols, (i:Long) => init(i / cols, i % cols));
        }
        operator this(i:Long, j:Long):T = data(i * cols + j);
        operator this(i:Long, j:Long) = (v:T) { data(i * cols + j) = v; }
        operator this * (that:Matrix[T]{self.rows==this.cols}):Matrix[T]{self.rows==this.rows,self.cols==that.cols} =
            new Matrix[T](rows, that.cols, (i:Long, j:Long) => {
                var sum:T = Zero.get[T]();
                for (k in 0..(cols - 1)) sum += this(i, k) * that(k, j);
                return sum;
            });
        operator - this:Matrix[T] = new Matrix[T](rows, cols, (i:Long, j:Long) => -this(i, j));
        public def toString() { var s:String = ""; for (i in 0..(rows - 1)) { for (j in 0..(cols - 1)) s += (j > 0 ? " " : "") + this(i, j); s += ";"; } return s; }
    }

    static struct Cpx(re:Double, im:Double) implements Arithmetic[Cpx] {
        public operator + this:Cpx = this;
        public operator - this:Cpx = Cpx(-re, -im);
        public operator this + (that:Cpx) = Cpx(re + that.re, im + that.im);
        public operator this - (that:Cpx) = Cpx(re - that.re, im - that.im);
        public operator this * (that:Cpx) = Cpx(re * that.re - im * that.im, re * that.im + im * that.re);
        public operator this / (that:Cpx):Cpx {
            val d = that.re * that.re + that.im * that.im;
            return Cpx((re * that.re + im * that.im) / d, (im * that.re - re * that.im) / d);
        }
        public static operator (x:Double):Cpx = Cpx(x, 0.0);
        def norm() = re * re + im * im;
        public def toString() = "(" + re + "," + im + ")";
    }

    static type Fun = (Double)=>Double;
    static type Pred[T] = (T)=>Boolean;
    static def compose(f:Fun, g:Fun):Fun = (x:Double) => f(g(x));
    static def derive(f:Fun, h:Double):Fun = (x:Double) => (f(x + h) - f(x - h)) / (2.0 * h);
    static def integrate(f:Fun, a:Double, b:Double, n:Long):Double {
        val h = (b - a) / n;
        var s:Double = 0.5 * (f(a) + f(b));
        for (i in 1..(n - 1)) s += f(a + i * h);
        return s * h;
    }
    static def count[T](xs:Iterable[T], p:Pred[T]):Long { var n:Long = 0; for (x in xs) if (p(x)) n++; return n; }

    public static def main(args:Rail[String]) {
        var f:Big = 1;
        for (i in 2..30) f = f * i;
        Console.OUT.println("30! = " + f);
        var a:Big = 0, b:Big = 1;
        for (1..200) { val c = a + b; a = b; b = c; }
        Console.OUT.println("fib(200) = " + a + " " + (a.compareTo(b) < 0n));

        val m = new Matrix[Long](2, 3, (i:Long, j:Long) => i * 3 + j), t = new Matrix[Long](3, 2, (i:Long, j:Long) => i - j);
        Console.OUT.println((m * t) + " " + (-m));
        val c = new Matrix[Cpx](2, 2, (i:Long, j:Long) => Cpx(i as Double, j as Double));
        Console.OUT.println((c * c) + " " + (Cpx(1.0, 2.0) / Cpx(0.0, 1.0) + 1.0));

        var inside:Long = 0;
        for (y in -20..20) for (x in -20..20) {
            val z0 = Cpx(x / 10.0, y / 10.0);
            var z:Cpx = Cpx(0.0, 0.0);
            var k:Long = 0;
            while (k < 50 && z.norm() < 4.0) { z = z * z + z0; k++; }
            if (k == 50) inside++;
        }
        Console.OUT.println("inside " + inside);

        val sq:Fun = (x:Double) => x * x;
        Console.OUT.printf("%.4f %.4f %.4f\n", compose(sq, (x:Double) => Math.sin(x))(1.0), derive(sq, 1e-4)(3.0), integrate(compose(sq, sq), 0.0, 1.0, 1000));
        Console.OUT.println(count([1, 2, 3, 4, 5, 6], (x:Long) => x % 3 == 0) + " " + count(["a", "bb"], (s:String) => s.length() > 1n));
    }
}
