import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.compiler.Unroll;
import x10.util.CUDAAtomic;
import x10.util.CUDAUtilities;

/** What kernels are written for, beside the same computed in order: histogram, scan, transposition, bitonic sort, stencil, and more. */
public class kernel_algorithms {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }
    static def get[T](remote:GlobalRail[T]){T haszero}:Rail[T] {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        CUDAUtilities.deleteGlobalRail(remote);
        return rail;
    }
    static def say(name:String, right:Boolean) { Console.OUT.println(name + (right ? " ok" : " WRONG")); }
    static def same[T](a:Rail[T], b:Rail[T]):Boolean {
        if (a.size != b.size) return false;
        for (i in a.range()) if (a(i) != b(i)) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    // shifts beyond width, mixes of 32 and 64 bit, remainders of negatives
    static def arithmetic(p:Place) {
        val n = 256;
        val out = CUDAUtilities.makeGlobalRail[Long](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                clocked finish for (t in 0n..63n) clocked async {
                    val i = block * 64n + t;
                    val l = (i as Long) * 3000000000 - 100;
                    var r:Long = (i << (i + 3n)) as Long;
                    r += l >> (i + 60n);
                    r ^= l >>> i;
                    r += (l as Int) / 7n + (l % 13) + (-i) % 5n + (-i) / 3n;
                    r += ((l as Int) >>> (i * 3n)) as Long;
                    r += ((i as Byte) as Long) + ((l as Short) as Long) + ((l as UByte) as Long);
                    r -= (l as Double) as Int;
                    r += Int.MIN_VALUE / (i % 2n == 0n ? -1n : 1n);
                    out(i) = r;
                }
            }
        }
        val want = new Rail[Long](n, (k:Long)=> {
            val i = k as Int;
            val l = (i as Long) * 3000000000 - 100;
            var r:Long = (i << (i + 3n)) as Long;
            r += l >> (i + 60n);
            r ^= l >>> i;
            r += (l as Int) / 7n + (l % 13) + (-i) % 5n + (-i) / 3n;
            r += ((l as Int) >>> (i * 3n)) as Long;
            r += ((i as Byte) as Long) + ((l as Short) as Long) + ((l as UByte) as Long);
            r -= (l as Double) as Int;
            r += Int.MIN_VALUE / (i % 2n == 0n ? -1n : 1n);
            return r;
        });
        say("arithmetic", same(get(out), want));
    }
    static def zero(p:Place, d:Int, mode:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 8);
        try {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (t in 0n..7n) clocked async {
                        out(t) = mode == 0n ? t / d : t % d;
                    }
                }
            }
            Console.OUT.println("zero WRONG");
        } catch (e:MultipleExceptions) { Console.OUT.println("zero " + e.exceptions()(0).typeName()); }
        CUDAUtilities.deleteGlobalRail(out);
    }
    // histogram with shared atomics
    static def histogram(p:Place) {
        val n = 10000n;
        val data = new Rail[Int](n, (i:Long)=>((i * i * 31 + 7) % 64) as Int);
        val out = CUDAUtilities.makeGlobalRail[Int](p, 64);
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val bins = new Rail[Int](64, 0n);
                clocked finish for (t in 0n..127n) clocked async {
                    for (var i:Int = block * 128n + t; i < n; i += 8n * 128n) CUDAAtomic.add(bins, data(i), 1n);
                    Clock.advanceAll();
                    if (t < 64n) CUDAAtomic.add(out, t, bins(t));
                }
            }
        }
        val want = new Rail[Int](64);
        for (i in 0..(n - 1)) want(data(i))++;
        say("histogram", same(get(out), want));
    }
    // scan of a block, Hillis-Steele, two buffers
    static def scan(p:Place) {
        val n = 1024;
        val data = new Rail[Int](n, (i:Long)=>((i * 17) % 11) as Int);
        val out = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                val s = new Rail[Int](512, 0n);
                clocked finish for (t in 0n..255n) clocked async {
                    var from:Int = 0n;
                    var to:Int = 256n;
                    s(t) = data(block * 256n + t);
                    Clock.advanceAll();
                    for (var d:Int = 1n; d < 256n; d *= 2n) {
                        s(to + t) = t >= d ? s(from + t) + s(from + t - d) : s(from + t);
                        val swap = from; from = to; to = swap;
                        Clock.advanceAll();
                    }
                    out(block * 256n + t) = s(from + t);
                }
            }
        }
        val want = new Rail[Int](n);
        for (i in 0..(n - 1)) want(i) = data(i) + (i % 256 == 0 ? 0n : want(i - 1));
        say("scan", same(get(out), want));
    }
    // transpose with padding
    static def transpose(p:Place) {
        val w = 64n; val h = 32n;
        val input = new Rail[Double](w * h, (i:Long)=>i as Double);
        val out = CUDAUtilities.makeGlobalRail[Double](p, w * h);
        finish async at (p) @CUDA {
            finish for ([by, bx] in (0n..(h / 16n - 1n)) * (0n..(w / 16n - 1n))) async {
                val tile = new Rail[Double](16 * 17);
                clocked finish for ([ty, tx] in (0n..3n) * (0n..15n)) clocked async {
                    for (var r:Int = ty as Int; r < 16n; r += 4n) tile(r * 17n + tx) = input((by * 16n + r) * w + bx * 16n + tx);
                    Clock.advanceAll();
                    for (var r:Int = ty as Int; r < 16n; r += 4n) out((bx * 16n + r) * h + by * 16n + tx) = tile(tx * 17n + r);
                }
            }
        }
        val want = new Rail[Double](w * h, (k:Long)=>input((k % h) * w + k / h));
        say("transpose", same(get(out), want));
    }
    static def mandelbrot(p:Place) {
        val w = 80n; val h = 40n; val limit = 200n;
        val out = CUDAUtilities.makeGlobalRail[Int](p, w * h);
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            val threads = CUDAUtilities.autoThreads();
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (t in 0n..(threads - 1n)) clocked async {
                    for (var i:Int = block * threads + t; i < w * h; i += blocks * threads) {
                        val cx = (i % w) * 3.0 / w - 2.0;
                        val cy = (i / w) * 2.0 / h - 1.0;
                        var x:Double = 0.0; var y:Double = 0.0; var k:Int = 0n;
                        do {
                            val xx = x * x - y * y + cx;
                            y = 2.0 * x * y + cy;
                            x = xx;
                            k++;
                        } while (k < limit && x * x + y * y < 4.0);
                        out(i) = k;
                    }
                }
            }
        }
        val f = get(out);
        var wrong:Int = 0n;
        for (i in 0n..(w * h - 1n)) {
            val cx = (i % w) * 3.0 / w - 2.0;
            val cy = (i / w) * 2.0 / h - 1.0;
            var x:Double = 0.0; var y:Double = 0.0; var k:Int = 0n;
            do {
                val xx = x * x - y * y + cx;
                y = 2.0 * x * y + cy;
                x = xx;
                k++;
            } while (k < limit && x * x + y * y < 4.0);
            if (f(i) != k) wrong++;
        }
        say("mandelbrot", wrong <= w * h / 100n);
    }
    static def matvec(p:Place) {
        val m = 50n; val n = 70n;
        val a = new Rail[Float](m * n, (i:Long)=>((i * 7) % 13) as Float);
        val x = new Rail[Float](n, (i:Long)=>(i % 5) as Float);
        val y = CUDAUtilities.makeGlobalRail[Float](p, m);
        finish async at (p) @CUDA {
            val xs = CUDAConstantRail(x);
            finish for (row in 0n..(m - 1n)) async {
                val part = new Rail[Float](32);
                clocked finish for (t in 0n..31n) clocked async {
                    var s:Float = 0.0f;
                    for (var j:Int = t; j < n; j += 32n) s += a(row * n + j) * xs(j);
                    part(t) = s;
                    Clock.advanceAll();
                    for (var d:Int = 16n; d > 0n; d >>= 1n) {
                        if (t < d) part(t) += part(t + d);
                        Clock.advanceAll();
                    }
                    if (t == 0n) y(row) = part(0);
                }
            }
        }
        val want = new Rail[Float](m, (r:Long)=> { var s:Float = 0f; for (j in 0..(n - 1)) s += a(r * n + j) * x(j); return s; });
        say("matvec", same(get(y), want));
    }
    static def bitonic(p:Place) {
        val n = 512n;
        val data = new Rail[Int](n, (i:Long)=>((i * 7919) % 1009) as Int);
        val out = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val s = new Rail[Int](data);
                clocked finish for (t in 0n..511n) clocked async {
                    for (var k:Int = 2n; k <= 512n; k <<= 1n) {
                        for (var j:Int = k >> 1n; j > 0n; j >>= 1n) {
                            val o = t ^ j;
                            if (o > t) {
                                val up = (t & k) == 0n;
                                val x = s(t); val y = s(o);
                                if (x > y == up) { s(t) = y; s(o) = x; }
                            }
                            Clock.advanceAll();
                        }
                    }
                    out(t) = s(t);
                }
            }
        }
        val want = new Rail[Int](data);
        x10.util.RailUtils.sort(want);
        say("bitonic", same(get(out), want));
    }
    static def stencil(p:Place) {
        val w = 40n; val h = 24n;
        val input = new Rail[Float](w * h, (i:Long)=>((i * 37) % 101) as Float);
        val out = CUDAUtilities.makeGlobalRail[Float](p, w * h);
        finish async at (p) @CUDA {
            finish for ([by, bx] in (0n..2n) * (0n..4n)) async {
                val tile = new Rail[Float](100, 0.0f);
                clocked finish for ([ty, tx] in (0n..7n) * (0n..7n)) clocked async {
                    val x = bx * 8n + tx; val y = by * 8n + ty;
                    for (var i:Int = (ty * 8n + tx) as Int; i < 100n; i += 64n) {
                        val gx = bx * 8n + i % 10n - 1n; val gy = by * 8n + i / 10n - 1n;
                        tile(i) = gx >= 0n && gx < w && gy >= 0n && gy < h ? input(gy * w + gx) : 0.0f;
                    }
                    Clock.advanceAll();
                    val c = (ty + 1n) * 10n + tx + 1n;
                    out(y * w + x) = 0.5f * tile(c) + 0.125f * (tile(c - 1n) + tile(c + 1n) + tile(c - 10n) + tile(c + 10n));
                }
            }
        }
        val at0 = (x:Long, y:Long)=> x >= 0 && x < w && y >= 0 && y < h ? input(y * w + x) : 0.0f;
        val want = new Rail[Float](w * h, (k:Long)=> { val x = k % w; val y = k / w; return 0.5f * at0(x, y) + 0.125f * (at0(x - 1, y) + at0(x + 1, y) + at0(x, y - 1) + at0(x, y + 1)); });
        say("stencil", same(get(out), want));
    }
    static def stack(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Long](p, 64);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for ([z, x] in (0n..3n) * (0n..15n)) clocked async {
                    @StackAllocate val r = new Rail[Long](8);
                    val i = z * 16n + x;
                    @Unroll(8) for (k in 0n..7n) r(k) = i * k;
                    Clock.advanceAll();
                    var s:Long = 0;
                    outer: for (k in 0n..7n) { for (j in 0n..7n) { if (j > k) continue outer; if (k + j > 12n) break outer; s += r(k) * j; } }
                    out(i) = s;
                }
            }
        }
        val want = new Rail[Long](64, (i:Long)=> { var s:Long = 0; outer: for (k in 0n..7n) { for (j in 0n..7n) { if (j > k) continue outer; if (k + j > 12n) break outer; s += i * k * j; } } return s; });
        say("stack", same(get(out), want));
    }
    static def empty(p:Place) {
        val nothing = new Rail[Int](0);
        val out = CUDAUtilities.makeGlobalRail[Int](p, 4);
        val zero = CUDAUtilities.makeGlobalRail[Int](p, 0);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (t in 0n..3n) clocked async { out(t) = (nothing.size + zero.size) as Int + t; }
            }
        }
        say("empty", same(get(out), [0n as Int, 1n, 2n, 3n]));
        CUDAUtilities.deleteGlobalRail(zero);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        arithmetic(p); zero(p, 0n, 0n); zero(p, 0n, 1n);
        histogram(p); scan(p); transpose(p); mandelbrot(p); matvec(p); bitonic(p); stencil(p); stack(p); empty(p);
    }
}
