import x10.compiler.*;
import x10.util.*;
/** Mixed signed and unsigned operators, methods of numbers, equals, compareTo, hashes and bits in kernels. */
public class kernel_operators {
    @CUDA static def mix(i:Int):Long {
        val u = i as UInt, l = i as Long * 0x123456789L, ul = l as ULong, b = i as Byte, ub = i as UByte, s = i as Short, us = i as UShort, f = i * 0.5f, d = i * 0.25;
        var h:Long = 0;
        h = h * 31 + ((u & i) | (7n ^ u) as UInt) as Long;
        h = h * 31 + ((i & u) ^ (u | i)) as Long;
        h = h * 31 + ((ul & l) ^ (l | ul) ^ (ul ^ 5)) as Long;
        h = h * 31 + ((ub & b) | (b ^ ub)) as Long;
        h = h * 31 + ((us & s) ^ (s | us)) as Long;
        h = h * 31 + u.bitCount() + u.numberOfLeadingZeros() + u.numberOfTrailingZeros();
        h = h * 31 + l.bitCount() + l.numberOfLeadingZeros() + l.numberOfTrailingZeros() + i.bitCount();
        h = h * 31 + i.reverse() + i.rotateLeft(5n) + i.reverseBytes() + i.highestOneBit() + i.lowestOneBit();
        h = h * 31 + (ul.rotateRight(17n) as Long) + l.reverse() + l.reverseBytes() + l.signum() + s.reverseBytes() + (us.reverseBytes() as Long);
        h = h * 31 + i.hashCode() + u.hashCode() + l.hashCode() + ul.hashCode() + b.hashCode() + ub.hashCode() + s.hashCode() + us.hashCode() + f.hashCode() + d.hashCode() + (i > 3n).hashCode() + (i as Char).hashCode();
        h = h * 31 + (i.equals(5n) ? 1 : 0) + (u.equals(7un) ? 2 : 0) + (f.equals(2.5f) ? 4 : 0) + (d.equals(1.5) ? 8 : 0) + (l.equals(0) ? 16 : 0);
        h = h * 31 + i.compareTo(50n) + u.compareTo(50un) * 3 + l.compareTo(1000) * 5 + ul.compareTo(1000ul) * 7 + b.compareTo(3y) * 11 + f.compareTo(9.0f) * 13 + d.compareTo(7.0) * 17 + (i % 2n == 0n).compareTo(true) * 19 + (i as Char).compareTo('a') * 23;
        h = h * 31 + f.toIntBits() + d.toLongBits() + (f.isNaN() ? 1 : 0) + Math.nextPowerOf2(Math.abs(i) + 1n) + Math.log2(Math.nextPowerOf2(Math.abs(i) + 1n)) + (Math.powerOf2(i) ? 1 : 0) + Math.signum(i);
        return h;
    }
    @CUDA static def largest[T](r:Rail[T], n:Int){T <: Ordered[T]}:T { var best:T = r(0); for (k in 1n..(n - 1n)) if (r(k) > best) best = r(k); return best; }
    static struct Key(a:Int, b:Short) {
        @CUDA public def hashCode():Int = a * 31n + b;
        @CUDA operator this < (o:Key):Boolean = a < o.a || (a == o.a && b < o.b);
    }
    @CUDA static def least(r:Rail[Key], from:Int, to:Int):Key { var best:Key = r(from); for (k in from..to) if (r(k) < best) best = r(k); return best; }
    @CUDA static def z(c:Complex, n:Int):Complex { var w:Complex = c; for (k in 1n..n) w = w * w * 0.25 + c - Complex(0.0, 1.0) / (c + 2.0); return w; }
    public static def main(args:Rail[String]) {
        val top = PlaceTopology.getTopology();
        val p = top.numChildren(here) == 0 ? here : top.getChild(here, 0);
        val n = 500n;
        val out = CUDAUtilities.makeGlobalRail[Long](p, n);
        val xs = new Rail[Int](n, (i:Long) => ((i * 7919) % 997) as Int), ds = new Rail[Double](n, (i:Long) => ((i * 31) % 113) * 0.5);
        val keys = new Rail[Key](n, (i:Long) => Key(((i * 17) % 23) as Int, ((i * 5) % 7) as Short));
        val best = CUDAUtilities.makeGlobalRail[Int](p, 1), bestD = CUDAUtilities.makeGlobalRail[Double](p, 1), kk = CUDAUtilities.makeGlobalRail[Key](p, 50), zs = CUDAUtilities.makeGlobalRail[Complex](p, 50);
        finish async at (p) @CUDA {
            finish for (b in 0n..9n) async clocked finish for (t in 0n..49n) clocked async {
                val i = b * 50n + t;
                out(i) = mix((i - 250n) * 99991n);
                if (i == 0n) { best(0) = largest[Int](xs, n); bestD(0) = largest[Double](ds, n); }
                if (b == 3n) { kk(t) = least(keys, t * 10n, t * 10n + 9n); zs(t) = z(Complex(t * 0.01, -t * 0.02), 3n); }
            }
        }
        val r = new Rail[Long](n), rb = new Rail[Int](1), rd = new Rail[Double](1), rk = new Rail[Key](50), rz = new Rail[Complex](50);
        finish { Rail.asyncCopy(out, 0, r, 0, n); Rail.asyncCopy(best, 0, rb, 0, 1); Rail.asyncCopy(bestD, 0, rd, 0, 1); Rail.asyncCopy(kk, 0, rk, 0, 50); Rail.asyncCopy(zs, 0, rz, 0, 50); }
        var bad:Long = 0;
        for (i in 0n..(n - 1n)) if (r(i) != mix((i - 250n) * 99991n) && bad++ < 3) Console.OUT.println(i + ": " + r(i) + " for " + mix((i - 250n) * 99991n));
        if (rb(0) != largest[Int](xs, n) || rd(0) != largest[Double](ds, n)) bad++;
        for (t in 0n..49n) { if (rk(t) != least(keys, t * 10n, t * 10n + 9n)) bad++; if ((rz(t) - z(Complex(t * 0.01, -t * 0.02), 3n)).abs() > 1e-12) bad++; }
        Console.OUT.println(bad == 0 ? "ok" : "FAILED " + bad);
    }
}
