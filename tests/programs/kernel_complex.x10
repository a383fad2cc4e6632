import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Complex numbers on devices: all of the library's functions, Newton's fractal, a Julia set, a line of a filter's response. */
public class kernel_complex {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }
    static def fetch[T](remote:GlobalRail[T]){T haszero}:Rail[T] {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        return rail;
    }
    static def say(name:String, right:Boolean) {
        Console.OUT.println((right ? "ok " : "WRONG ") + name);
        if (!right) System.setExitCode(1n);
    }
    static def same[T](a:Rail[T], b:Rail[T]):Boolean {
        if (a.size != b.size) return false;
        for (i in a.range()) if (a(i) != b(i)) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def near(a:Rail[Float], b:Rail[Float], tolerance:Float):Boolean {
        for (i in b.range()) if (!(Math.abs(a(i) - b(i)) <= tolerance * (1.0f + Math.abs(b(i))))) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def near(a:Rail[Double], b:Rail[Double], tolerance:Double):Boolean {
        for (i in b.range()) if (!(Math.abs(a(i) - b(i)) <= tolerance * (1.0 + Math.abs(b(i))))) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def functions(p:Place, n:Int) {
        val z = new Rail[Complex](n, (i:Long) => Complex((i % 11) * 0.37 - 1.9, (i % 7) * 0.41 - 1.2));
        val out = CUDAUtilities.makeGlobalRail[Complex](p, n * 13);
        finish async at (p) @CUDA {
            finish for (b in 0n..((n + 31n) / 32n - 1n)) async clocked finish for (t in 0n..31n) clocked async {
                val i = b * 32n + t;
                if (i < n) {
                    val x = z(i);
                    out(i * 13n) = Math.exp(x);
                    out(i * 13n + 1n) = Math.log(x);
                    out(i * 13n + 2n) = Math.sqrt(x);
                    out(i * 13n + 3n) = Math.pow(x, Complex(0.5, -1.0));
                    out(i * 13n + 4n) = Math.sin(x);
                    out(i * 13n + 5n) = Math.cos(x);
                    out(i * 13n + 6n) = Math.tan(x);
                    out(i * 13n + 7n) = Math.sinh(x);
                    out(i * 13n + 8n) = Math.cosh(x);
                    out(i * 13n + 9n) = Math.tanh(x);
                    out(i * 13n + 10n) = Math.asin(x);
                    out(i * 13n + 11n) = Math.acos(x);
                    out(i * 13n + 12n) = Math.atan(x);
                }
            }
        }
        val r = fetch(out);
        var ok:Boolean = true;
        for (i in 0..(n - 1)) {
            val x = z(i);
            val w = [Math.exp(x), Math.log(x), Math.sqrt(x), Math.pow(x, Complex(0.5, -1.0)), Math.sin(x), Math.cos(x), Math.tan(x), Math.sinh(x), Math.cosh(x), Math.tanh(x), Math.asin(x), Math.acos(x), Math.atan(x)];
            for (k in 0..12) if (!((r(i * 13 + k) - w(k)).abs() <= 1e-10 * (1.0 + w(k).abs()))) { ok = false; Console.OUT.println("at " + x + ", " + k + ": " + r(i * 13 + k) + " for " + w(k)); }
        }
        say("complex functions", ok);
        CUDAUtilities.deleteGlobalRail(out);
    }
    @CUDA static def newton(z0:Complex):Int {
        var z:Complex = z0;
        var k:Int = 0n;
        while (k < 40n) {
            val z3 = z * z * z;
            if ((z3 - 1.0).abs() < 1e-6) break;
            if (z.abs() < 1e-9) return -1n;
            z = z - (z3 - 1.0) / (3.0 * z * z);
            k++;
        }
        return (z.re > 0.5 ? 0n : z.im > 0.0 ? 100n : 200n) + k;
    }
    static def fractal(p:Place, w:Int, h:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, w * h);
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((h + 7n) / 8n - 1n) * 0n..((w + 31n) / 32n - 1n)) async clocked finish for ([ty, tx] in 0n..7n * 0n..31n) clocked async {
                val x = bx * 32n + tx, y = by * 8n + ty;
                if (x < w && y < h) out(y * w + x) = newton(Complex(x * 3.0 / w - 1.51, y * 3.0 / h - 1.48));
            }
        }
        val r = fetch(out);
        var off:Int = 0n;
        for (q in r.range()) if (r(q) != newton(Complex(q % w * 3.0 / w - 1.51, q / w * 3.0 / h - 1.48))) off++;
        say("newton", off <= w * h / 100n);
        CUDAUtilities.deleteGlobalRail(out);
    }
    /** The answer of a filter to frequencies: a thread a frequency, taps shared. */
    static def response(p:Place, n:Int, m:Int) {
        val taps = new Rail[Double](m, (i:Long) => ((i * 7) % 5) * 0.2 - 0.3);
        val out = CUDAUtilities.makeGlobalRail[Complex](p, n);
        finish async at (p) @CUDA {
            finish for (b in 0n..((n + 15n) / 16n - 1n)) async {
                val s = new Rail[Double](taps);
                clocked finish for (t in 0n..15n) clocked async {
                    val i = b * 16n + t;
                    var sum:Complex = Complex.ZERO;
                    val step = Math.exp(Complex(0.0, -Math.PI * i / n));
                    var w:Complex = Complex.ONE;
                    for (x in s) { sum += x * w; w *= step; }
                    if (i < n) out(i) = sum / (1.0 + w * Complex.I);
                }
            }
        }
        val r = fetch(out);
        var ok:Boolean = true;
        for (i in 0..(n - 1)) {
            var sum:Complex = Complex.ZERO; var w:Complex = Complex.ONE;
            val step = Math.exp(Complex(0.0, -Math.PI * i / n));
            for (x in taps) { sum += x * w; w *= step; }
            ok &= (sum / (1.0 + w * Complex.I) - r(i)).abs() < 1e-9;
        }
        say("response", ok);
        CUDAUtilities.deleteGlobalRail(out);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        functions(p, 77n); fractal(p, 61n, 37n); response(p, 50n, 21n);
    }
}
