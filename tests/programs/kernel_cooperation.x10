import x10.compiler.CUDA;
import x10.compiler.CUDADirectParams;
import x10.compiler.Unroll;
import x10.util.*;

/** Threads of a block that work together: tiles in two buffers, shuffles, exchanges in shared memory, digits counted by atomics. */
public class kernel_cooperation {
    static def fetch[T](g:GlobalRail[T]){T haszero}:Rail[T] {
        val r = new Rail[T](g.size);
        finish Rail.asyncCopy(g, 0, r, 0, g.size);
        return r;
    }
    static def say(name:String, ok:Boolean) { Console.OUT.println(name + (ok ? ": ok" : ": WRONG")); }
    static def same[T](a:Rail[T], b:Rail[T]):Boolean {
        if (a.size != b.size) return false;
        for (i in a.range) if (!a(i).equals(b(i))) { Console.OUT.println("  at " + i + ": " + a(i) + " not " + b(i)); return false; }
        return true;
    }

    /** Double-buffered tiled product. */
    static def doubleBuffered(p:Place) {
        val n = 96n;
        val a = new Rail[Float](n * n, (i:Long) => ((i * 7) % 11) as Float);
        val b = new Rail[Float](n * n, (i:Long) => ((i * 5) % 13) as Float);
        val da = CUDAUtilities.makeGlobalRail[Float](p, n * n, a);
        val db = CUDAUtilities.makeGlobalRail[Float](p, n * n, b);
        val dc = CUDAUtilities.makeGlobalRail[Float](p, n * n);
        finish async at (p) @CUDA @CUDADirectParams {
            finish for ([by, bx] in (0n..(n / 16n - 1n)) * (0n..(n / 16n - 1n))) async {
                val ta = new Rail[Float](2 * 16 * 16, 0.0f);
                val tb = new Rail[Float](2 * 16 * 17, 0.0f);
                clocked finish for ([ty, tx] in (0n..15n) * (0n..15n)) clocked async {
                    val row = (by * 16 + ty) as Int, col = (bx * 16 + tx) as Int;
                    val y = ty as Int, x = tx as Int;
                    var buf:Int = 0n;
                    ta(y * 16n + x) = da(row * n + x);
                    tb(y * 17n + x) = db(y * n + col);
                    Clock.advanceAll();
                    var sum:Float = 0.0f;
                    for (var k:Int = 0n; k < n; k += 16n) {
                        val nb = 1n - buf;
                        if (k + 16n < n) {
                            ta(nb * 256n + y * 16n + x) = da(row * n + k + 16n + x);
                            tb(nb * 272n + y * 17n + x) = db((k + 16n + y) * n + col);
                        }
                        @Unroll(16) for (j in 0n..15n) sum += ta(buf * 256n + y * 16n + j) * tb(buf * 272n + j * 17n + x);
                        Clock.advanceAll();
                        buf = nb;
                    }
                    dc(row * n + col) = sum;
                }
            }
        }
        val want = new Rail[Float](n * n);
        for (i in 0..(n - 1)) for (j in 0..(n - 1)) { var s:Float = 0.0f; for (k in 0..(n - 1)) s += a(i * n + k) * b(k * n + j); want(i * n + j) = s; }
        say("double buffering", same(fetch(dc), want));
        CUDAUtilities.deleteGlobalRail(da); CUDAUtilities.deleteGlobalRail(db); CUDAUtilities.deleteGlobalRail(dc);
    }

    /** Scan: warp shuffles, then the warps' sums. */
    static def warpScan(p:Place) {
        val n = 5000n;
        val data = new Rail[Int](n, (i:Long) => ((i * 37) % 19) as Int);
        val d = CUDAUtilities.makeGlobalRail[Int](p, n, data);
        val sums = CUDAUtilities.makeGlobalRail[Int](p, (n + 255) / 256);
        val blocks = (n + 255n) / 256n;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                val warps = new Rail[Int](8, 0n);
                clocked finish for (t in 0n..255n) clocked async {
                    val i = block * 256n + t;
                    var v:Int = i < n ? d(i) : 0n;
                    val lane = t & 31n, warp = t >> 5n;
                    for (var o:Int = 1n; o < 32n; o <<= 1) {
                        val u = CUDAWarp.shuffleUp(v, o);
                        if (lane >= o) v += u;
                    }
                    if (lane == 31n) warps(warp) = v;
                    Clock.advanceAll();
                    if (warp == 0n) {
                        if (lane == 0n) for (k in 1n..7n) warps(k) += warps(k - 1n);
                    }
                    Clock.advanceAll();
                    if (warp > 0n) v += warps(warp - 1n);
                    if (i < n) d(i) = v;
                    if (t == 255n) sums(block) = v;
                }
            }
        }
        val r = fetch(d); val s = fetch(sums);
        var ok:Boolean = true; var run:Int = 0n; var base:Int = 0n;
        for (i in 0..(n - 1)) { if (i % 256 == 0) { run = 0n; } run += data(i); ok &= r(i) == run; if (i % 256 == 255) ok &= s(i / 256) == run; }
        say("warp scan", ok);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(sums);
    }

    /** Reduction in the style of cooperative groups: grid stride, warp, block. */
    static def reduction(p:Place) {
        val n = 100003;
        val d = CUDAUtilities.makeGlobalRail[Double](p, n, (i:Long) => (i % 1000) as Double);
        val parts = CUDAUtilities.makeGlobalRail[Double](p, 24);
        finish async at (p) @CUDA {
            finish for (block in 0n..23n) async {
                val s = new Rail[Double](4);
                clocked finish for (t in 0n..127n) clocked async {
                    var sum:Double = 0.0;
                    for (var i:Long = block * 128 + t; i < n; i += 24 * 128) sum += d(i);
                    sum += CUDAWarp.shuffleDown(sum, 16n);
                    sum += CUDAWarp.shuffleDown(sum, 8n);
                    sum += CUDAWarp.shuffleDown(sum, 4n);
                    sum += CUDAWarp.shuffleDown(sum, 2n);
                    sum += CUDAWarp.shuffleDown(sum, 1n);
                    if (CUDAWarp.lane() == 0n) s(CUDAWarp.index()) = sum;
                    Clock.advanceAll();
                    if (t == 0n) parts(block) = s(0) + s(1) + s(2) + s(3);
                }
            }
        }
        val r = fetch(parts);
        var all:Double = 0.0; for (v in r) all += v;
        var want:Double = 0.0; for (i in 0..(n - 1)) want += i % 1000;
        say("reduction", Math.abs(all - want) < 1e-6 * want);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(parts);
    }

    /** Bitonic sort in shared memory, descending and ascending blocks, keys and values. */
    static def bitonicPairs(p:Place) {
        val n = 2048n, m = 512n;
        val keys = new Rail[Int](n, (i:Long) => ((i * 7919) % 10007) as Int);
        val dk = CUDAUtilities.makeGlobalRail[Int](p, n, keys);
        val dv = CUDAUtilities.makeGlobalRail[Int](p, n, (i:Long) => i as Int);
        finish async at (p) @CUDA {
            finish for (block in 0n..(n / m - 1n)) async {
                val k = new Rail[Int](m, 0n);
                val v = new Rail[Int](m, 0n);
                clocked finish for (t in 0n..255n) clocked async {
                    for (h in 0n..1n) {
                        k(t + h * 256n) = dk(block * m + t + h * 256n);
                        v(t + h * 256n) = dv(block * m + t + h * 256n);
                    }
                    for (var size:Int = 2n; size <= m; size *= 2n) {
                        val up = (t & (size / 2n)) == 0n;
                        for (var stride:Int = size / 2n; stride > 0n; stride /= 2n) {
                            Clock.advanceAll();
                            val pos = 2n * t - (t & (stride - 1n));
                            if ((k(pos) > k(pos + stride)) == up) {
                                val x = k(pos); k(pos) = k(pos + stride); k(pos + stride) = x;
                                val y = v(pos); v(pos) = v(pos + stride); v(pos + stride) = y;
                            }
                        }
                    }
                    Clock.advanceAll();
                    for (h in 0n..1n) {
                        dk(block * m + t + h * 256n) = k(t + h * 256n);
                        dv(block * m + t + h * 256n) = v(t + h * 256n);
                    }
                }
            }
        }
        val rk = fetch(dk), rv = fetch(dv);
        var ok:Boolean = true;
        for (i in 0..(n - 1)) { ok &= keys(rv(i)) == rk(i); if (i % m != 0) ok &= rk(i - 1) <= rk(i); }
        say("bitonic pairs", ok);
        CUDAUtilities.deleteGlobalRail(dk); CUDAUtilities.deleteGlobalRail(dv);
    }

    /** A step of a radix sort: digits counted, scanned, scattered. */
    static def radix(p:Place) {
        val n = 4096n, bits = 4n;
        val keys = new Rail[UInt](n, (i:Long) => (((i * 2654435761) >> 7) & 0xffff) as UInt);
        var from:GlobalRail[UInt]{self.home()==p} = CUDAUtilities.makeGlobalRail[UInt](p, n, keys);
        var to:GlobalRail[UInt]{self.home()==p} = CUDAUtilities.makeGlobalRail[UInt](p, n);
        val counts = CUDAUtilities.makeGlobalRail[Int](p, 16 * 16);
        for (var shift:Int = 0n; shift < 16n; shift += bits) {
            val a = from, b = to, s = shift;
            finish async at (p) @CUDA {
                finish for (block in 0n..15n) async {
                    val c = new Rail[Int](16);
                    clocked finish for (t in 0n..255n) clocked async {
                        if (t < 16n) c(t) = 0n;
                        Clock.advanceAll();
                        val digit = ((a(block * 256n + t) >> s) & 15un) as Int;
                        CUDAAtomic.add(c, digit as Long, 1n);
                        Clock.advanceAll();
                        if (t < 16n) counts(t * 16n + block) = c(t);
                    }
                }
            }
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (t in 0n..255n) clocked async {
                        val mine = counts(t);
                        counts(t) = CUDABlock.exclusiveSum(mine);
                    }
                }
            }
            finish async at (p) @CUDA {
                finish for (block in 0n..15n) async {
                    val d = new Rail[Byte](256);
                    clocked finish for (t in 0n..255n) clocked async {
                        val key = a(block * 256n + t);
                        val digit = ((key >> s) & 15un) as Int;
                        d(t) = digit as Byte;
                        Clock.advanceAll();
                        var before:Int = 0n;
                        for (var k:Int = 0n; k < t; k++) if (d(k) == (digit as Byte)) before++;
                        b(counts(digit * 16n + block) + before) = key;
                    }
                }
            }
            from = b; to = a;
        }
        val r = fetch(from);
        val want = new Rail[UInt](keys);
        RailUtils.sort(want, (x:UInt, y:UInt) => x < y ? -1n : x > y ? 1n : 0n);
        say("radix sort", same(r, want));
        CUDAUtilities.deleteGlobalRail(from); CUDAUtilities.deleteGlobalRail(to); CUDAUtilities.deleteGlobalRail(counts);
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        doubleBuffered(p); warpScan(p); reduction(p); bitonicPairs(p); radix(p);
    }
}
