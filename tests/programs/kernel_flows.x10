import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.compiler.Unroll;
import x10.util.CUDAAtomic;
import x10.util.CUDABlock;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/** Control flow that ports bring along: barriers in loops of all forms, in functions, behind uniform choices; early ends; labels; values kept over barriers; loops whose bounds shared memory holds. */
public class kernel_flows {
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
    /** Jacobi until it has converged, all in one block: the loop ends for all by what the block says. */
    static def jacobi(p:Place, n:Int) {
        val out = CUDAUtilities.makeGlobalRail[Double](p, n), turns = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for (b in 0n..0n) async {
                val a = new Rail[Double](n + 2n), c = new Rail[Double](n + 2n);
                clocked finish for (t in 0n..63n) clocked async {
                    for (var i:Int = t; i < n + 2n; i += 64n) { a(i) = i == 0n ? 1.0 : 0.0; c(i) = a(i); }
                    Clock.advanceAll();
                    var k:Int = 0n;
                    while (true) {
                        var worst:Double = 0.0;
                        for (var i:Int = t + 1n; i <= n; i += 64n) {
                            c(i) = 0.4 * (a(i - 1n) + a(i + 1n)) + 0.01;
                            worst = Math.max(worst, Math.abs(c(i) - a(i)));
                        }
                        val most = CUDABlock.max(worst);
                        for (var i:Int = t + 1n; i <= n; i += 64n) a(i) = c(i);
                        Clock.advanceAll();
                        k++;
                        if (most < 1e-7) break;
                        if (k >= 500n) break;
                    }
                    for (var i:Int = t; i < n; i += 64n) out(i) = a(i + 1n);
                    if (t == 0n) turns(0) = k;
                }
            }
        }
        val a = new Rail[Double](n + 2), c = new Rail[Double](n + 2);
        a(0) = 1.0; c(0) = 1.0;
        var k:Int = 0n; var worst:Double = 1.0;
        while (worst >= 1e-7 && k < 500n) {
            worst = 0.0;
            for (i in 1..n) { c(i) = 0.4 * (a(i - 1) + a(i + 1)) + 0.01; worst = Math.max(worst, Math.abs(c(i) - a(i))); }
            Rail.copy(c, a);
            k++;
        }
        say("jacobi " + n, fetch(turns)(0) == k && near(fetch(out), new Rail[Double](n, (i:Long) => a(i + 1)), 1e-12));
        CUDAUtilities.deleteGlobalRail(out); CUDAUtilities.deleteGlobalRail(turns);
    }
    @CUDA static def reduce(s:Rail[Int], t:Int, n:Int, kind:Int):Int {
        var m:Int = n;
        while (m > 1n) {
            val h = (m + 1n) >> 1;
            Clock.advanceAll();
            if (t + h < m) {
                switch (kind) {
                    case 0n: s(t) += s(t + h); break;
                    case 1n: s(t) = Math.max(s(t), s(t + h)); break;
                    case 2n: s(t) ^= s(t + h); break;
                    default: s(t) *= s(t + h);
                }
            }
            m = h;
        }
        Clock.advanceAll();
        val r = s(0);
        Clock.advanceAll();
        return r;
    }
    /** The same reduction four ways, chosen by a captured value, a barrier in each branch. */
    static def chosen(p:Place) {
        val n = 77n;
        val data = new Rail[Int](5 * n, (i:Long) => ((i * 31) % 19) as Int - 7n);
        for (kind in 0n..4n) {
            val out = CUDAUtilities.makeGlobalRail[Int](p, 5, -99n);
            finish async at (p) @CUDA {
                finish for (b in 0n..4n) async {
                    val s = new Rail[Int](n);
                    clocked finish for (t in 0n..(n - 1n)) clocked async {
                        s(t) = data(b * n + t);
                        var r:Int = 0n;
                        if (kind < 2n) r = reduce(s, t, n, kind);
                        else if (kind == 4n) {
                            // two at once: the second of what the first left over
                            val x = reduce(s, t, n, 1n);
                            s(t) = data(b * n + t) == x ? 1n : 0n;
                            r = reduce(s, t, n, 0n) * 1000n + x;
                        } else {
                            s(t) |= 1n;
                            Clock.advanceAll();
                            r = reduce(s, t, n, kind);
                        }
                        if (t == n - 1n) out(b) = r;
                    }
                }
            }
            val w = new Rail[Int](5, (b:Long) => {
                var sum:Int = 0n; var max:Int = Int.MIN_VALUE; var x:Int = 0n; var prod:Int = 1n; var many:Int = 0n;
                for (i in (b * n)..(b * n + n - 1)) { sum += data(i); max = Math.max(max, data(i)); x ^= data(i) | 1n; prod *= data(i) | 1n; }
                for (i in (b * n)..(b * n + n - 1)) if (data(i) == max) many++;
                return kind == 0n ? sum : kind == 1n ? max : kind == 2n ? x : kind == 3n ? prod : many * 1000n + max;
            });
            say("chosen " + kind, same(fetch(out), w));
            CUDAUtilities.deleteGlobalRail(out);
        }
    }
    /** Elimination with pivots: a system a block; the row of the pivot is found by a warp, swaps and barriers in nested loops with labels. */
    static def gauss(p:Place, n:Int, count:Int) {
        val w = n + 1n;
        val a = new Rail[Double](count * n * w, (q:Long) => { val s = q / (n * w), i = q / w % n, j = q % w; return j == n as Long ? 1.0 + i : ((i * 7 + j * 5 + s * 3) % 11) - (i == j ? 6.5 : 0.0); });
        val x = CUDAUtilities.makeGlobalRail[Double](p, count * n);
        val ok = CUDAUtilities.makeGlobalRail[Boolean](p, count);
        finish async at (p) @CUDA {
            finish for (sys in 0n..(count - 1n)) async {
                val m = new Rail[Double](n * w);
                val piv = new Rail[Int](1), f = new Rail[Double](n);
                clocked finish for (t in 0n..63n) clocked async {
                    for (var i:Int = t; i < n * w; i += 64n) m(i) = a(sys * n * w + i);
                    Clock.advanceAll();
                    var good:Boolean = true;
                    columns: for (var k:Int = 0n; k < n; k++) {
                        if (t == 0n) {
                            var best:Int = k;
                            for (i in (k + 1n)..(n - 1n)) if (Math.abs(m(i * w + k)) > Math.abs(m(best * w + k))) best = i;
                            piv(0) = Math.abs(m(best * w + k)) < 1e-12 ? -1n : best;
                        }
                        Clock.advanceAll();
                        val best = piv(0);
                        if (CUDABlock.any(best < 0n)) { good = false; break columns; }
                        if (best != k && t <= n - k) { val q = m(k * w + k + t); m(k * w + k + t) = m(best * w + k + t); m(best * w + k + t) = q; }
                        Clock.advanceAll();
                        if (t < n) f(t) = t == k ? 0.0 : m(t * w + k) / m(k * w + k);
                        Clock.advanceAll();
                        for (var q:Int = t; q < n * (w - k); q += 64n) {
                            val i = q / (w - k), j = k + q % (w - k);
                            if (i == k) continue;
                            m(i * w + j) -= f(i) * m(k * w + j);
                        }
                        Clock.advanceAll();
                    }
                    if (t == 0n) ok(sys) = good;
                    if (good && t < n) x(sys * n + t) = m(t * w + n) / m(t * w + t);
                }
            }
        }
        val r = fetch(x), flags = fetch(ok);
        var right:Boolean = true;
        for (s in 0..(count - 1)) {
            right &= flags(s);
            for (i in 0..(n - 1)) {
                var sum:Double = 0.0;
                for (j in 0..(n - 1)) sum += a((s * n + i) * w + j) * r(s * n + j);
                right &= Math.abs(sum - 1.0 - i) < 1e-6;
            }
        }
        say("gauss " + n, right);
        CUDAUtilities.deleteGlobalRail(x); CUDAUtilities.deleteGlobalRail(ok);
    }
    /** Small matrices inverted in a thread's own memory; most neighbours kept sorted in registers. */
    static def inverse(p:Place, count:Int) {
        val a = new Rail[Float](count * 16, (q:Long) => ((q * 7 + q / 16 * 3) % 13) * 0.25f + (q % 16 % 5 == 0 ? 6.0f : 0.0f));
        val out = CUDAUtilities.makeGlobalRail[Float](p, count * 16);
        finish async at (p) @CUDA {
            finish for (b in 0n..((count + 31n) / 32n - 1n)) async clocked finish for (t in 0n..31n) clocked async {
                val s = b * 32n + t;
                if (s < count) {
                    @StackAllocate val m = new Rail[Float](16);
                    @StackAllocate val v = new Rail[Float](16);
                    for (i in 0n..15n) { m(i) = a(s * 16n + i); v(i) = i % 5n == 0n ? 1.0f : 0.0f; }
                    for (k in 0n..3n) {
                        val d = 1.0f / m(k * 4n + k);
                        for (j in 0n..3n) { m(k * 4n + j) *= d; v(k * 4n + j) *= d; }
                        for (i in 0n..3n) {
                            if (i == k) continue;
                            val f = m(i * 4n + k);
                            for (j in 0n..3n) { m(i * 4n + j) -= f * m(k * 4n + j); v(i * 4n + j) -= f * v(k * 4n + j); }
                        }
                    }
                    for (i in 0n..15n) out(s * 16n + i) = v(i);
                }
            }
        }
        val r = fetch(out);
        var ok:Boolean = true;
        for (s in 0..(count - 1)) for (i in 0..3) for (j in 0..3) {
            var sum:Float = 0.0f;
            for (k in 0..3) sum += a(s * 16 + i * 4 + k) * r(s * 16 + k * 4 + j);
            ok &= Math.abs(sum - (i == j ? 1.0f : 0.0f)) < 1e-3f;
        }
        say("inverse", ok);
        CUDAUtilities.deleteGlobalRail(out);
    }
    static struct Near(d:Float, i:Int) { @CUDA operator this < (o:Near):Boolean = d < o.d || d == o.d && i < o.i; }
    static def nearest(p:Place, n:Int, m:Int) {
        val K = 5n;
        val xs = new Rail[Float](n * 3, (i:Long) => ((i * 37) % 101) * 0.1f), qs = new Rail[Float](m * 3, (i:Long) => ((i * 53) % 89) * 0.11f);
        val out = CUDAUtilities.makeGlobalRail[Int](p, m * K, -1n);
        finish async at (p) @CUDA {
            finish for (b in 0n..((m + 31n) / 32n - 1n)) async clocked finish for (t in 0n..31n) clocked async {
                val q = b * 32n + t;
                if (q < m) {
                    @StackAllocate val best = new Rail[Near](5);
                    for (k in 0n..4n) best(k) = Near(Float.POSITIVE_INFINITY, Int.MAX_VALUE);
                    for (i in 0n..(n - 1n)) {
                        var d:Float = 0.0f;
                        for (c in 0n..2n) { val e = xs(i * 3n + c) - qs(q * 3n + c); d += e * e; }
                        var me:Near = Near(d, i);
                        if (me < best(4)) {
                            for (k in 0n..4n) if (me < best(k)) { val x = best(k); best(k) = me; me = x; }
                        }
                    }
                    for (k in 0n..4n) out(q * 5n + k) = best(k).i;
                }
            }
        }
        val w = new Rail[Int](m * K);
        for (q in 0..(m - 1)) {
            val all = new Rail[Near](n, (i:Long) => { var d:Float = 0.0f; for (c in 0..2) { val e = xs(i * 3 + c) - qs(q * 3 + c); d += e * e; } return Near(d, i as Int); });
            x10.util.RailUtils.sort(all, (a:Near, b:Near) => a < b ? -1n : b < a ? 1n : 0n);
            for (k in 0..(K - 1)) w(q * K + k) = all(k).i;
        }
        say("nearest", same(fetch(out), w));
        CUDAUtilities.deleteGlobalRail(out);
    }
    /** A queue of work in shared memory that threads take from until it is empty: quadrature that halves its intervals. */
    static struct Piece(lo:Float, hi:Float, depth:Int) { }
    @CUDA static def hump(x:Float):Float = 1.0f / (0.01f + (x - 0.3f) * (x - 0.3f));
    static def adaptive(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Float](p, 1), pieces = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for (b in 0n..0n) async {
                val queue = new Rail[Piece](2 * 512);
                val size = new Rail[Int](2, 0n);
                clocked finish for (t in 0n..63n) clocked async {
                    var sum:Float = 0.0f; var mine:Int = 0n;
                    if (t == 0n) { queue(0) = Piece(0.0f, 1.0f, 0n); size(0) = 1n; }
                    Clock.advanceAll();
                    var which:Int = 0n;
                    do {
                        val n = size(which);
                        Clock.advanceAll();
                        if (t == 0n) size(1n - which) = 0n;
                        Clock.advanceAll();
                        for (var i:Int = t; i < n; i += 64n) {
                            val q = queue(which * 512n + i);
                            val mid = 0.5f * (q.lo + q.hi);
                            val one = (q.hi - q.lo) * 0.5f * (hump(q.lo) + hump(q.hi));
                            val two = 0.5f * one + (q.hi - q.lo) * 0.5f * hump(mid);
                            if (Math.abs(one - two) < 1e-3f * (q.hi - q.lo) || q.depth >= 8n) { sum += two; mine++; }
                            else {
                                val to = CUDAAtomic.add(size, 1n - which, 2n);
                                queue((1n - which) * 512n + to) = Piece(q.lo, mid, q.depth + 1n);
                                queue((1n - which) * 512n + to + 1n) = Piece(mid, q.hi, q.depth + 1n);
                            }
                        }
                        which = 1n - which;
                        Clock.advanceAll();
                    } while (size(which) > 0n);
                    sum = CUDABlock.sum(sum);
                    mine = CUDABlock.sum(mine);
                    if (t == 0n) { out(0) = sum; pieces(0) = mine; }
                }
            }
        }
        val exact = 10.0f * (Math.atanf(7.0f) + Math.atanf(3.0f));
        say("adaptive", Math.abs(fetch(out)(0) - exact) < 0.02f && fetch(pieces)(0) > 64n);
        CUDAUtilities.deleteGlobalRail(out); CUDAUtilities.deleteGlobalRail(pieces);
    }
    /** Values kept over many barriers: a ring that passes what each thread holds. */
    static def ring(p:Place, n:Int) {
        val out = CUDAUtilities.makeGlobalRail[Long](p, n);
        finish async at (p) @CUDA {
            finish for (b in 0n..0n) async {
                val s = new Rail[Long](n);
                clocked finish for (t in 0n..(n - 1n)) clocked async {
                    @StackAllocate val own = new Rail[Long](4);
                    var x:Long = t; var odd:Boolean = false; var c:Byte = t as Byte;
                    for (i in 0..3) own(i) = t * (i + 1);
                    for (step in 1n..n) {
                        s(t) = x + own(step % 4n);
                        Clock.advanceAll();
                        x = s((t + step) % n) + (odd ? c : 1y);
                        own(step & 3n) += x & 7;
                        odd = !odd;
                        c++;
                        Clock.advanceAll();
                    }
                    out(t) = x + own(0) + own(1) + own(2) + own(3);
                }
            }
        }
        var x:Rail[Long] = new Rail[Long](n, (i:Long) => i);
        val own = new Rail[Long](n * 4, (q:Long) => q / 4 * (q % 4 + 1));
        var odd:Boolean = false;
        for (step in 1n..n) {
            val o = x, odd0 = odd;
            val s = new Rail[Long](n, (t:Long) => o(t) + own(t * 4 + step % 4));
            x = new Rail[Long](n, (t:Long) => s((t + step) % n) + (odd0 ? ((t as Byte) + (step as Byte) - 1y) as Byte : 1y));
            for (t in 0..(n - 1)) own(t * 4 + (step & 3n)) += x(t) & 7;
            odd = !odd;
        }
        val last = x;
        say("ring " + n, same(fetch(out), new Rail[Long](n, (t:Long) => last(t) + own(t * 4) + own(t * 4 + 1) + own(t * 4 + 2) + own(t * 4 + 3))));
        CUDAUtilities.deleteGlobalRail(out);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        jacobi(p, 100n); jacobi(p, 5n); chosen(p); gauss(p, 9n, 5n); gauss(p, 31n, 2n); inverse(p, 77n); nearest(p, 203n, 45n); adaptive(p); ring(p, 37n); ring(p, 1n);
    }
}
