import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.compiler.Unroll;
import x10.util.*;

/** More kernels as one writes them in CUDA: fractals, random walks, cellular automata, transforms, stencils, bytes, large shared memory. */
public class kernel_numerics {
    static def fetch[T](g:GlobalRail[T], n:Long){T haszero}:Rail[T] {
        val r = new Rail[T](n);
        finish Rail.asyncCopy(g, 0, r, 0, n);
        return r;
    }
    static def send[T](p:Place, r:Rail[T]){T haszero}:GlobalRail[T]{self.home()==p} {
        val g = CUDAUtilities.makeGlobalRail[T](p, r.size);
        finish Rail.asyncCopy(r, 0, g, 0, r.size);
        return g;
    }
    static def say(name:String, ok:Boolean) { Console.OUT.println(name + (ok ? ": ok" : ": WRONG")); }

    static struct C(re:Float, im:Float) {
        @CUDA operator this + (that:C):C = C(re + that.re, im + that.im);
        @CUDA operator this - (that:C):C = C(re - that.re, im - that.im);
        @CUDA operator this * (that:C):C = C(re * that.re - im * that.im, re * that.im + im * that.re);
        @CUDA def norm():Float = re * re + im * im;
    }

    @CUDA static def escape(c:C, most:Int):Int {
        var z:C = C(0.0f, 0.0f);
        var n:Int = 0n;
        while (n < most && z.norm() <= 4.0f) {
            z = z * z + c;
            n++;
        }
        return n;
    }

    static def mandelbrot(p:Place) {
        val w = 64n, h = 48n, most = 100n;
        val out = CUDAUtilities.makeGlobalRail[UByte](p, (w * h) as Long);
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..5n * 0n..7n) async {
                clocked finish for ([ty, tx] in 0n..7n * 0n..7n) clocked async {
                    val x = (bx * 8n + tx) as Int, y = (by * 8n + ty) as Int;
                    val c = C(-2.0f + x * 3.0f / w, -1.0f + y * 2.0f / h);
                    out(y * w + x) = escape(c, most) as UByte;
                }
            }
        }
        val r = fetch[UByte](out, (w * h) as Long);
        var bad:Int = 0n;
        for (y in 0n..(h - 1n)) for (x in 0n..(w - 1n))
            if (r(y * w + x) != (escape(C(-2.0f + x * 3.0f / w, -1.0f + y * 2.0f / h), most) as UByte)) bad++;
        // At the edge of the set a device's fused arithmetic may take another way.
        say("mandelbrot", bad < 60n);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** xorshift in each thread, hits of the circle counted by a block reduction. */
    static def monteCarlo(p:Place) {
        val blocks = 8n, threads = 128n, tries = 200n;
        val hits = CUDAUtilities.makeGlobalRail[ULong](p, 1);
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    var s:ULong = (block * threads + thread + 1n) as ULong * 0x9E3779B97F4A7C15UL;
                    var inside:Int = 0n;
                    for (k in 1n..tries) {
                        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
                        val x = ((s >> 40) as Float) / 16777216.0f;
                        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
                        val y = ((s >> 40) as Float) / 16777216.0f;
                        if (x * x + y * y < 1.0f) inside++;
                    }
                    val all = CUDABlock.sum(inside);
                    if (thread == 0n) CUDAAtomic.add(hits, 0, all as ULong);
                }
            }
        }
        val found = fetch[ULong](hits, 1)(0);
        var wanted:ULong = 0UL;
        for (id in 1..(blocks * threads)) {
            var s:ULong = id as ULong * 0x9E3779B97F4A7C15UL;
            for (k in 1n..tries) {
                s ^= s << 13; s ^= s >> 7; s ^= s << 17;
                val x = ((s >> 40) as Float) / 16777216.0f;
                s ^= s << 13; s ^= s >> 7; s ^= s << 17;
                val y = ((s >> 40) as Float) / 16777216.0f;
                if (x * x + y * y < 1.0f) wanted++;
            }
        }
        val d = (found as Long) - (wanted as Long);
        say("monte carlo", d > -10 && d < 10);
        CUDAUtilities.deleteGlobalRail(hits);
    }

    /** The tree in shared memory, unrolled by hand, then the maximum by compare and swap. */
    static def reduction(p:Place) {
        val n = 33333n;
        val data = new Rail[Double](n, (i:Long) => ((i * 7919) % 10007) as Double - 5000.0);
        val sums = CUDAUtilities.makeGlobalRail[Double](p, 64);
        val top = send[Long](p, [Long.MIN_VALUE]);
        finish async at (p) @CUDA {
            finish for (block in 0n..63n) async {
                val s = new Rail[Double](256);
                clocked finish for (thread in 0n..255n) clocked async {
                    var sum:Double = 0.0;
                    var most:Long = Long.MIN_VALUE;
                    for (var i:Int = block * 256n + thread; i < n; i += 256n * 64n) {
                        sum += data(i);
                        most = Math.max(most, data(i) as Long);
                    }
                    s(thread) = sum;
                    Clock.advanceAll();
                    if (thread < 128n) s(thread) += s(thread + 128n);
                    Clock.advanceAll();
                    for (var k:Int = 64n; k >= 1n; k /= 2n) {
                        if (thread < k) s(thread) += s(thread + k);
                        Clock.advanceAll();
                    }
                    if (thread == 0n) sums(block) = s(0);
                    var old:Long = CUDAAtomic.max(top, 0, Long.MIN_VALUE);
                    while (most > old) {
                        val seen = CUDAAtomic.cas(top, 0, old, most);
                        if (seen == old) break;
                        old = seen;
                    }
                }
            }
        }
        var sum:Double = 0.0;
        for (v in fetch[Double](sums, 64)) sum += v;
        var wanted:Double = 0.0, most:Long = Long.MIN_VALUE;
        for (v in data) { wanted += v; most = Math.max(most, v as Long); }
        say("reduction", Math.abs(sum - wanted) < 1e-6 && fetch[Long](top, 1)(0) == most);
        CUDAUtilities.deleteGlobalRail(sums); CUDAUtilities.deleteGlobalRail(top);
    }

    static def life(p:Place) {
        val w = 60, h = 40, steps = 10;
        val start = new Rail[Boolean](w * h, (i:Long) => (i * i + 3 * i) % 7 < 3);
        var a:GlobalRail[Boolean]{self.home()==p} = send[Boolean](p, start);
        var b:GlobalRail[Boolean]{self.home()==p} = CUDAUtilities.makeGlobalRail[Boolean](p, w * h);
        for (step in 1..steps) {
            val from = a, to = b;
            finish async at (p) @CUDA {
                finish for (block in 0n..((w * h + 127) / 128 - 1) as Int) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        val i:Long = block * 128n + thread;
                        if (i < w * h) {
                            val x = i % w, y = i / w;
                            var n:Int = 0n;
                            for (dy in -1..1) for (dx in -1..1) {
                                if (dx == 0 && dy == 0) continue;
                                if (from((y + dy + h) % h * w + (x + dx + w) % w)) n++;
                            }
                            to(i) = n == 3n || (n == 2n && from(i));
                        }
                    }
                }
            }
            val t = a; a = b; b = t;
        }
        var now:Rail[Boolean] = start;
        for (step in 1..steps) {
            val old = now;
            now = new Rail[Boolean](w * h, (i:Long) => {
                var n:Int = 0n;
                for (dy in -1..1) for (dx in -1..1)
                    if (!(dx == 0 && dy == 0) && old((i / w + dy + h) % h * w + (i % w + dx + w) % w)) n++;
                return n == 3n || (n == 2n && old(i));
            });
        }
        val r = fetch[Boolean](a, w * h);
        var ok:Boolean = true;
        for (i in r.range()) if (r(i) != now(i)) ok = false;
        say("life", ok);
        CUDAUtilities.deleteGlobalRail(a); CUDAUtilities.deleteGlobalRail(b);
    }

    /** One transform of 256 points a block: bit reversal, then butterflies of structs in shared memory. */
    static def fft(p:Place) {
        val n = 256n, batch = 4n;
        val signal = new Rail[C](n * batch, (i:Long) => C(((i * 37) % 11) as Float, ((i * 5) % 7) as Float));
        val d = send[C](p, signal);
        finish async at (p) @CUDA {
            finish for (block in 0n..(batch - 1n)) async {
                val s = new Rail[C](n);
                clocked finish for (thread in 0n..(n / 2n - 1n)) clocked async {
                    for (i in 0n..1n) {
                        val k = thread + i * 128n;
                        var r:Int = 0n;
                        for (bit in 0n..7n) if ((k >> bit & 1n) != 0n) r |= 1n << (7n - bit);
                        s(r) = d(block * n + k);
                    }
                    for (var half:Int = 1n; half < n; half *= 2n) {
                        Clock.advanceAll();
                        val pos = thread / half * 2n * half + thread % half;
                        val angle = -3.14159265f * (thread % half) / half;
                        val t = C(Math.cosf(angle), Math.sinf(angle)) * s(pos + half);
                        val u = s(pos);
                        s(pos) = u + t;
                        s(pos + half) = u - t;
                    }
                    Clock.advanceAll();
                    d(block * n + thread) = s(thread);
                    d(block * n + thread + 128n) = s(thread + 128n);
                }
            }
        }
        val r = fetch[C](d, (n * batch) as Long);
        var worst:Double = 0.0;
        for (b in 0..(batch - 1)) for (var k:Long = 0; k < n; k += 17) {
            var re:Double = 0.0, im:Double = 0.0;
            for (j in 0..(n - 1)) {
                val angle = -2.0 * Math.PI * j * k / n;
                val x = signal(b * n + j);
                re += x.re * Math.cos(angle) - x.im * Math.sin(angle);
                im += x.re * Math.sin(angle) + x.im * Math.cos(angle);
            }
            worst = Math.max(worst, Math.max(Math.abs(re - r(b * n + k).re), Math.abs(im - r(b * n + k).im)));
        }
        say("fft", worst < 0.02);
        CUDAUtilities.deleteGlobalRail(d);
    }

    /** Rows of 16 pos once in registers. */
    static def matrixVector(p:Place) {
        val n = 200n;
        val m = new Rail[Float](n * n, (i:Long) => ((i * 3) % 17) as Float);
        val v = new Rail[Float](n, (i:Long) => (i % 5) as Float);
        val out = CUDAUtilities.makeGlobalRail[Float](p, n as Long);
        finish async at (p) @CUDA {
            finish for (block in 0n..6n) async {
                val part = new Rail[Float](32, (i:Long) => 0.0f);
                clocked finish for (thread in 0n..31n) clocked async {
                    @StackAllocate val sums = new Rail[Float](4);
                    val row = block * 32n + thread;
                    for (var pos:Int = 0n; pos < n; pos += 32n) {
                        part(thread) = pos + thread < n ? v(pos + thread) : 0.0f;
                        Clock.advanceAll();
                        if (row < n) {
                            val end = Math.min(32n, n - pos);
                            for (k in 0n..(end - 1n)) sums(k & 3n) += m(row * n + pos + k) * part(k);
                        }
                        Clock.advanceAll();
                    }
                    if (row < n) out(row) = sums(0) + sums(1) + sums(2) + sums(3);
                }
            }
        }
        val r = fetch[Float](out, n as Long);
        var ok:Boolean = true;
        for (y in 0n..(n - 1n)) {
            var sum:Float = 0.0f;
            for (x in 0n..(n - 1n)) sum += m(y * n + x) * v(x);
            if (Math.abs(sum - r(y)) > 0.5f) ok = false;
        }
        say("matrix by vector", ok);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** Three axes of blocks and threads. */
    static def stencil(p:Place) {
        val nx = 33n, ny = 20n, nz = 11n;
        val a = new Rail[Float](nx * ny * nz, (i:Long) => ((i * 13) % 29) as Float);
        val d = send[Float](p, a);
        val out = CUDAUtilities.makeGlobalRail[Float](p, a.size);
        val bx = (nx + 7n) / 8n, by = (ny + 3n) / 4n, bz = (nz + 3n) / 4n;
        finish async at (p) @CUDA {
            finish for ([k, j, i] in 0n..(bz - 1n) * 0n..(by - 1n) * 0n..(bx - 1n)) async {
                clocked finish for ([tz, ty, tx] in 0n..3n * 0n..3n * 0n..7n) clocked async {
                    val x = (i * 8 + tx) as Int, y = (j * 4 + ty) as Int, z = (k * 4 + tz) as Int;
                    if (x < nx && y < ny && z < nz) {
                        val pos = (z * ny + y) * nx + x;
                        if (x == 0n || y == 0n || z == 0n || x == nx - 1n || y == ny - 1n || z == nz - 1n) out(pos) = d(pos);
                        else out(pos) = 0.4f * d(pos) + 0.1f * (d(pos - 1n) + d(pos + 1n) + d(pos - nx) + d(pos + nx) + d(pos - nx * ny) + d(pos + nx * ny));
                    }
                }
            }
        }
        val r = fetch[Float](out, a.size);
        var ok:Boolean = true;
        for (z in 0n..(nz - 1n)) for (y in 0n..(ny - 1n)) for (x in 0n..(nx - 1n)) {
            val pos = (z * ny + y) * nx + x;
            val edge = x == 0n || y == 0n || z == 0n || x == nx - 1n || y == ny - 1n || z == nz - 1n;
            val wanted = edge ? a(pos) : 0.4f * a(pos) + 0.1f * (a(pos - 1n) + a(pos + 1n) + a(pos - nx) + a(pos + nx) + a(pos - nx * ny) + a(pos + nx * ny));
            if (Math.abs(wanted - r(pos)) > 1e-4f) ok = false;
        }
        say("stencil", ok);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(out);
    }

    /** Letters to capitals, words counted where a letter follows none, a mixture of shifted bytes. */
    static def bytes(p:Place) {
        val text = "the quick brown fox  jumps over 13 lazy dogs, and over a fence. ";
        val n = 1000;
        val chars = new Rail[Char](n, (i:Long) => text((i % text.length()) as Int));
        val codes = new Rail[Byte](n, (i:Long) => chars(i).ord() as Byte);
        val upper = send[Byte](p, codes);
        val words = CUDAUtilities.makeGlobalRail[Int](p, 1);
        val hash = CUDAUtilities.makeGlobalRail[UInt](p, 1);
        val letters = CUDAUtilities.makeGlobalRail[Char](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..127n) clocked async {
                    val i = block * 128n + thread;
                    val c = i < n ? chars(i) : ' ';
                    val before = i > 0n && i < n ? chars(i - 1n) : ' ';
                    val letter = c >= 'a' && c <= 'z';
                    val first = letter && !(before >= 'a' && before <= 'z');
                    val bits = CUDAWarp.ballot(first);
                    if (CUDAWarp.lane() == 0n) CUDAAtomic.add(words, 0, (bits as Int).bitCount());
                    if (i < n) {
                        if (letter) upper(i) = (upper(i) - 32y) as Byte;
                        letters(i) = letter ? Char.chr(c.ord() - 32n) : c;
                        CUDAAtomic.xor(hash, 0, (upper(i) as UInt) << (i % 25n));
                    }
                }
            }
        }
        val r = fetch[Byte](upper, n), l = fetch[Char](letters, n);
        var ok:Boolean = true, count:Int = 0n, mixed:UInt = 0un;
        for (i in 0..(n - 1)) {
            val letter = chars(i).isLetter();
            val wanted = letter ? (codes(i) - 32y) as Byte : codes(i);
            if (r(i) != wanted || l(i).ord() != wanted as Int) ok = false;
            if (letter && (i == 0 || !chars(i - 1).isLetter())) count++;
            mixed ^= (wanted as UInt) << ((i % 25) as Int);
        }
        say("bytes", ok && fetch[Int](words, 1)(0) == count && fetch[UInt](hash, 1)(0) == mixed);
        CUDAUtilities.deleteGlobalRail(upper); CUDAUtilities.deleteGlobalRail(words);
        CUDAUtilities.deleteGlobalRail(hash); CUDAUtilities.deleteGlobalRail(letters);
    }

    /** More shared memory than a block has unasked, in several rails of a size that the launch gives. */
    static def large(p:Place) {
        val n = 8000n, m = 5000n;
        val source = new Rail[Double](n, (i:Long) => i as Double);
        val out = CUDAUtilities.makeGlobalRail[Double](p, 256);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val a = new Rail[Double](source);
                val b = new Rail[Short](m, (i:Long) => (i % 100) as Short);
                val c = new Rail[Boolean](m, true);
                clocked finish for (thread in 0n..255n) clocked async {
                    var sum:Double = 0.0;
                    for (var i:Int = thread; i < n; i += 256n) sum += a(n - 1n - i);
                    for (var i:Int = thread; i < m; i += 256n) if (c(i)) sum += b(i);
                    out(thread) = sum;
                }
            }
        }
        val r = fetch[Double](out, 256);
        var sum:Double = 0.0;
        for (v in r) sum += v;
        say("large shared memory", sum == 8000.0 * 7999 / 2 + 50 * 99.0 * 50);
        CUDAUtilities.deleteGlobalRail(out);
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        mandelbrot(p);
        monteCarlo(p);
        reduction(p);
        life(p);
        fft(p);
        matrixVector(p);
        stencil(p);
        bytes(p);
        large(p);
    }
}
