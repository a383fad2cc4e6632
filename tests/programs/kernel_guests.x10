// without: thread
// Threads read plainly what others write, as such kernels do on a device: the same value, or they try by an atomic operation then.
import x10.compiler.*;
import x10.util.*;

/**
 * Kernels as those write them who know CUDA and are new to X10, each beside the same computed in order: shuffled structs, tables with
 * compare-and-swap, structs with operators in rails, three axes with a halo, ragged segments, several kernels at once, failing ones.
 */
public class kernel_guests {
    static def get[T](g:GlobalRail[T]){T haszero}:Rail[T] {
        val r = new Rail[T](g.size);
        finish Rail.asyncCopy(g, 0, r, 0, g.size);
        return r;
    }
    static def put[T](p:Place, r:Rail[T]){T haszero}:GlobalRail[T]{self.home() == p} = CUDAUtilities.makeGlobalRail[T](p, r.size, r);
    static def same[T](a:Rail[T], b:Rail[T]):Boolean {
        for (i in b.range()) if (a(i) != b(i)) { return false; }
        return a.size == b.size;
    }
    static def near(a:Rail[Double], b:Rail[Double], eps:Double):Boolean {
        for (i in b.range()) if (!(Math.abs(a(i) - b(i)) <= eps)) { return false; }
        return a.size == b.size;
    }

    /** Hash table. */
    @CUDA static def hash(k:UInt):UInt {
        var h:UInt = k;
        h ^= h >> 16;
        h *= 0x85ebca6bun;
        h ^= h >> 13;
        h *= 0xc2b2ae35un;
        h ^= h >> 16;
        return h;
    }
    static val EMPTY = -1n;
    static def table(p:Place):Boolean {
        val n = 3000n, cap = 8192n;
        val keys = new Rail[Int](n, (i:Long) => ((i * 40503) % 65521) as Int);
        val k = put(p, keys), slots = CUDAUtilities.makeGlobalRail[Int](p, cap, EMPTY), vals = CUDAUtilities.makeGlobalRail[Int](p, cap);
        val found = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (b in 0n..((n - 1n) / 128n)) async {
                clocked finish for (t in 0n..127n) clocked async {
                    val i = b * 128n + t;
                    if (i < n) {
                        var s:Int = (hash(k(i) as UInt) as Int) & (cap - 1n);
                        do {
                            val was = CUDAAtomic.cas(slots, s, EMPTY, k(i));
                            if (was == EMPTY || was == k(i)) break;
                            s = (s + 1n) & (cap - 1n);
                        } while (true);
                        vals(s) = i * 3n;
                    }
                }
            }
        }
        finish async at (p) @CUDA {
            finish for (b in 0n..((n - 1n) / 128n)) async {
                clocked finish for (t in 0n..127n) clocked async {
                    val i = b * 128n + t;
                    if (i < n) {
                        var s:Int = (hash(k(i) as UInt) as Int) & (cap - 1n);
                        while (slots(s) != EMPTY && slots(s) != k(i)) s = (s + 1n) % cap;
                        found(i) = slots(s) == EMPTY ? -7n : vals(s);
                    }
                }
            }
        }
        return same(get(found), new Rail[Int](n, (i:Long) => 3n * (i as Int)));
    }

    /** Rails in an object. */
    static class Bodies {
        val x:GlobalRail[Float]; val v:GlobalRail[Float]; val n:Int; val p:Place;
        def this(p:Place, n:Int) {
            this.p = p; this.n = n;
            x = CUDAUtilities.makeGlobalRail[Float](p, n, (i:Long) => i as Float);
            v = CUDAUtilities.makeGlobalRail[Float](p, n, (i:Long) => 1.0f / (i + 1));
        }
        def step(dt:Float) {
            val x = this.x, v = this.v, n = this.n;
            at (p) @CUDA {
                val T = CUDAUtilities.autoThreads(), B = CUDAUtilities.autoBlocks();
                finish for (b in 0n..(B - 1n)) async clocked finish for (t in 0n..(T - 1n)) clocked async {
                    for (i in 0n..((n - 1n - (b * T + t)) / (B * T))) {
                        val k = b * T + t + i * (B * T);
                        if (k < n) x(k) += v(k) * dt;
                    }
                }
            }
        }
    }
    static def fields(p:Place):Boolean {
        val n = 1000n;
        val bodies = new Bodies(p, n);
        for (k in 1..4) bodies.step(0.5f);
        val e = new Rail[Float](n, (i:Long) => { var x:Float = i as Float; for (k in 1..4) x += (1.0f / (i + 1)) * 0.5f; x });
        return same(get(bodies.x), e);
    }

    /** Rails of structs. */
    static struct Vec(x:Float, y:Float, z:Float) {
        @CUDA operator this + (o:Vec):Vec = Vec(x + o.x, y + o.y, z + o.z);
        @CUDA operator (s:Float) * this:Vec = Vec(s * x, s * y, s * z);
        @CUDA operator -this = Vec(-x, -y, -z);
        @CUDA def dot(o:Vec) = x * o.x + y * o.y + z * o.z;
    }
    static struct Particle(pos:Vec, vel:Vec, alive:Boolean, hits:Int) {
        @CUDA def move(dt:Float):Particle {
            val q = pos + dt * vel;
            val out = q.dot(q) > 100.0f;
            return Particle(out ? pos : q, out ? -vel : vel, alive && hits < 5n, out ? hits + 1n : hits);
        }
    }
    static def particles(p:Place):Boolean {
        val n = 777n;
        val ps = new Rail[Particle](n, (i:Long) => Particle(Vec(i % 10, i % 7, 0), Vec(1.5f - i % 3, i % 5 - 2, 0.25f), true, 0n));
        val a = CUDAUtilities.makeGlobalRail[Particle](p, n, ps);
        for (s in 1..30)
            finish async at (p) @CUDA {
                finish for (b in 0n..(n / 96n)) async {
                    clocked finish for (t in 0n..95n) clocked async {
                        val i = b * 96n + t;
                        if (i < n) a(i) = a(i).move(0.75f);
                    }
                }
            }
        val e = new Rail[Particle](n, (i:Long) => { var q:Particle = ps(i); for (s in 1..30) q = q.move(0.75f); q });
        return same(get(a), e);
    }

    /** Three axes. */
    static def cube(p:Place):Boolean {
        val nx = 19n, ny = 13n, nz = 11n;
        val c = new Rail[Int](nx * ny * nz, (i:Long) => (i * i % 101) as Int);
        val a = put(p, c), o = CUDAUtilities.makeGlobalRail[Int](p, nx * ny * nz);
        finish async at (p) @CUDA {
            finish for ([bz, by, bx] in 0n..((nz - 1n) / 4n) * 0n..((ny - 1n) / 4n) * 0n..((nx - 1n) / 8n)) async {
                val s = new Rail[Int](6n * 6n * 10n, -1n);
                clocked finish for ([tz, ty, tx] in 0n..3n * 0n..3n * 0n..7n) clocked async {
                    val t = ((tz * 4 + ty) * 8 + tx) as Int;
                    for (var k:Int = t; k < 360n; k += 128n) {
                        val x = (bx * 8) as Int + k % 10n - 1n, y = (by * 4) as Int + k / 10n % 6n - 1n, z = (bz * 4) as Int + k / 60n - 1n;
                        if (x >= 0n && x < nx && y >= 0n && y < ny && z >= 0n && z < nz) s(k) = a((z * ny + y) * nx + x);
                    }
                    Clock.advanceAll();
                    val x = bx * 8 + tx, y = by * 4 + ty, z = bz * 4 + tz;
                    if (x < nx && y < ny && z < nz) {
                        val m = ((tz + 1) * 6 + ty + 1) * 10 + tx + 1;
                        o((z * ny + y) * nx + x) = s(m - 1) + s(m + 1) + s(m - 10) + s(m + 10) + s(m - 60) + s(m + 60) - 6n * s(m);
                    }
                }
            }
        }
        val at3 = (x:Long, y:Long, z:Long) => x < 0 || x >= nx || y < 0 || y >= ny || z < 0 || z >= nz ? -1n : c((z * ny + y) * nx + x);
        val e = new Rail[Int](c.size, (i:Long) => {
            val x = i % nx, y = i / nx % ny, z = i / (nx * ny);
            at3(x - 1, y, z) + at3(x + 1, y, z) + at3(x, y - 1, z) + at3(x, y + 1, z) + at3(x, y, z - 1) + at3(x, y, z + 1) - 6n * c(i)
        });
        return same(get(o), e);
    }

    /** Elimination of small matrices in dynamic shared memory, one block each. */
    static def gauss(p:Place, n:Int):Boolean {
        val count = 10n;
        val w = n + 1n;
        val all = new Rail[Double](count * n * w, (i:Long) => { val r = i / w % n, c = i % w; (r == c ? 20.0 : 0.0) + ((i * 37) % 11) - 5.0 });
        val a = put(p, all), x = CUDAUtilities.makeGlobalRail[Double](p, count * n);
        finish async at (p) @CUDA {
            finish for (b in 0n..(count - 1n)) async {
                val m = new Rail[Double](n * w);
                val factor = new Rail[Double](n);
                clocked finish for (t in 0n..63n) clocked async {
                    for (var i:Int = t; i < n * w; i += 64n) m(i) = a(b * n * w + i);
                    Clock.advanceAll();
                    for (k in 0n..(n - 1n)) {
                        for (var r:Int = t; r < n; r += 64n) factor(r) = r == k ? 0.0 : m(r * w + k) / m(k * w + k);
                        Clock.advanceAll();
                        for (var i:Int = t; i < n * w; i += 64n) {
                            val r = i / w, c = i % w;
                            if (c >= k) m(i) -= factor(r) * m(k * w + c);
                        }
                        Clock.advanceAll();
                    }
                    if (t < n) x(b * n + t) = m(t * w + n) / m(t * w + t);
                }
            }
        }
        val e = new Rail[Double](count * n);
        for (b in 0..(count - 1)) {
            val m = new Rail[Double](n * w, (i:Long) => all(b * n * w + i));
            for (k in 0..(n - 1)) for (r in 0..(n - 1)) if (r != k) { val f = m(r * w + k) / m(k * w + k); for (c in k..n) m(r * w + c) -= f * m(k * w + c); }
            for (r in 0..(n - 1)) e(b * n + r) = m(r * w + n) / m(r * w + r);
        }
        return near(get(x), e, 1e-9);
    }

    /** Ragged segments with a barrier in the loop. */
    static def segments(p:Place):Boolean {
        val n = 50n;
        val off = new Rail[Int](n + 1);
        for (i in 0n..(n - 1n)) off(i + 1) = off(i) + (i * i) % 97n;
        val data = new Rail[Int](off(n) + 1, (i:Long) => (i * 13 % 29) as Int);
        val r = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (b in 0n..(n - 1n)) async {
                val s = new Rail[Int](32);
                clocked finish for (t in 0n..31n) clocked async {
                    var total:Int = 0n;
                    var at0:Int = off(b);
                    val end = off(b + 1n);
                    while (at0 < end) {
                        s(t) = at0 + t < end ? data(at0 + t) : 0n;
                        Clock.advanceAll();
                        for (var h:Int = 16n; h >= 1n; h /= 2n) {
                            if (t < h) s(t) += s(t + h);
                            Clock.advanceAll();
                        }
                        if (t == 0n) total += s(0);
                        Clock.advanceAll();
                        at0 += 32n;
                    }
                    if (t == 0n) r(b) = total;
                }
            }
        }
        val e = new Rail[Int](n, (i:Long) => { var s:Int = 0n; for (var k:Int = off(i); k < off(i + 1); k++) s += data(k); s });
        return same(get(r), e);
    }

    /** Many in flight. */
    static def flight(p:Place):Boolean {
        val parts = 12, n = 500;
        val outs = new Rail[GlobalRail[Long]{self.home() == p}](parts, (i:Long) => CUDAUtilities.makeGlobalRail[Long](p, n));
        finish for (k in 0..(parts - 1)) {
            val o = outs(k);
            val scale = new Rail[Long](3, (i:Long) => k + i);
            async at (p) @CUDA {
                finish for (b in 0n..3n) async {
                    clocked finish for (t in 0n..124n) clocked async {
                        val i = b * 125n + t;
                        o(i) = i * scale(1) + scale(2) * k;
                    }
                }
            }
            scale.clear();
        }
        for (k in 0..(parts - 1)) if (!same(get(outs(k)), new Rail[Long](n, (i:Long) => i * (k + 1) + (k + 2) * k))) return false;
        return true;
    }

    /** What fails. */
    @CUDA static def read(a:GlobalRail[Int], i:Int) = a(i + 1n);
    static def failing(p:Place):Boolean {
        val n = 100n;
        val a = CUDAUtilities.makeGlobalRail[Int](p, n, 5n), zero = n - 100n;
        var caught:Long = 0;
        try {
            finish async at (p) @CUDA {
                finish for (b in 0n..1n) async { clocked finish for (t in 0n..49n) clocked async { a(b * 50n + t) = read(a, b * 50n + t) + 1n; } }
            }
        } catch (e:MultipleExceptions) {
            for (x in e.exceptions()) if (x instanceof ArrayIndexOutOfBoundsException) caught++;
        }
        try {
            finish async at (p) @CUDA {
                finish for (b in 0n..1n) async { clocked finish for (t in 0n..49n) clocked async { a(t) = t / zero; } }
            }
        } catch (e:MultipleExceptions) {
            for (x in e.exceptions()) if (x instanceof ArithmeticException) caught += 10;
        }
        try {
            at (p) @CUDA {
                finish for (b in 0n..1n) async {
                    val s = new Rail[Int](10);
                    clocked finish for (t in 0n..49n) clocked async { s(t % 11n) = t; Clock.advanceAll(); a(t) = s(0); }
                }
            }
        } catch (e:ArrayIndexOutOfBoundsException) { caught += 100; }
        catch (e:MultipleExceptions) { caught += 1000; }
        finish async at (p) @CUDA { finish for (b in 0n..1n) async { clocked finish for (t in 0n..49n) clocked async { a(b * 50n + t) = t; } } }
        return caught == 111 && get(a)(99) == 49n;
    }

    /** Alignment along diagonals. */
    static def align(p:Place):Boolean {
        val n = 60n;
        val a = new Rail[Char](n, (i:Long) => "ACGT"((i * 7 % 11 % 4) as Int)), b = new Rail[Char](n, (i:Long) => "ACGT"((i * 5 % 13 % 4) as Int));
        val o = CUDAUtilities.makeGlobalRail[Int](p, (n + 1) * (n + 1));
        val w = n + 1n;
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val m = new Rail[Int](w * w, 0n);
                clocked finish for (t in 0n..(n - 1n)) clocked async {
                    m((t + 1n) * w) = -(t + 1n);
                    m(t + 1n) = -(t + 1n);
                    Clock.advanceAll();
                    for (d in 0n..(2n * n - 2n)) {
                        val i = t, j = d - t;
                        if (j >= 0n && j < n) {
                            val at0 = (i + 1n) * w + j + 1n;
                            val diag = m(at0 - w - 1n) + (a(i) == b(j) ? 1n : -1n);
                            m(at0) = Math.max(diag, Math.max(m(at0 - 1n), m(at0 - w)) - 1n);
                        }
                        Clock.advanceAll();
                    }
                    for (i in 0n..n) { o(i * w + t) = m(i * w + t); if (t == 0n) o(i * w + n) = m(i * w + n); }
                }
            }
        }
        val e = new Rail[Int](w * w);
        for (i in 0..n) for (j in 0..n)
            e(i * w + j) = i == 0 ? -(j as Int) : j == 0 ? -(i as Int) : Math.max(e((i - 1) * w + j - 1) + (a(i - 1) == b(j - 1) ? 1n : -1n), Math.max(e(i * w + j - 1), e((i - 1) * w + j)) - 1n);
        return same(get(o), e);
    }

    /** Fourier transform in shared memory. */
    static def fft(p:Place):Boolean {
        val n = 256n, bits = 8n;
        val re = new Rail[Double](n, (i:Long) => (i * 17 % 23) as Double);
        val outRe = CUDAUtilities.makeGlobalRail[Double](p, n), outIm = CUDAUtilities.makeGlobalRail[Double](p, n);
        finish async at (p) @CUDA {
            finish for (b in 0n..0n) async {
                val r = new Rail[Double](n);
                val im = new Rail[Double](n);
                clocked finish for (t in 0n..(n / 2n - 1n)) clocked async {
                    for (h in 0n..1n) {
                        val i = t + h * (n / 2n);
                        val k = i.reverse() >>> (32n - bits);
                        r(k) = re(i);
                        im(k) = 0.0;
                    }
                    Clock.advanceAll();
                    for (var len:Int = 2n; len <= n; len <<= 1n) {
                        val half = len / 2n, pos = t % half, i = (t / half) * len + pos, j = i + half;
                        val ang = -2.0 * Math.PI * pos / len;
                        val c = Math.cos(ang), s = Math.sin(ang);
                        val x = r(j) * c - im(j) * s, y = r(j) * s + im(j) * c;
                        r(j) = r(i) - x; im(j) = im(i) - y;
                        r(i) += x; im(i) += y;
                        Clock.advanceAll();
                    }
                    outRe(t) = r(t); outIm(t) = im(t);
                    outRe(t + n / 2n) = r(t + n / 2n); outIm(t + n / 2n) = im(t + n / 2n);
                }
            }
        }
        val er = new Rail[Double](n), ei = new Rail[Double](n);
        for (k in 0..(n - 1)) for (j in 0..(n - 1)) { er(k) += re(j) * Math.cos(-2 * Math.PI * j * k / n); ei(k) += re(j) * Math.sin(-2 * Math.PI * j * k / n); }
        return near(get(outRe), er, 1e-6) && near(get(outIm), ei, 1e-6);
    }

    /** Random numbers. */
    @CUDA static def next(s:ULong):ULong {
        var x:ULong = s;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        return x;
    }
    static def pi(p:Place):Boolean {
        val T = 96n, B = 5n;
        val hits = CUDAUtilities.makeGlobalRail[Long](p, 1, 0);
        finish async at (p) @CUDA {
            finish for (b in 0n..(B - 1n)) async {
                clocked finish for (t in 0n..(T - 1n)) clocked async {
                    var s:ULong = (b * T + t) as ULong * 6364136223846793005ul + 1442695040888963407ul;
                    var mine:Long = 0;
                    for (k in 0n..199n) {
                        s = next(s);
                        val x = (s >> 40) as Float / (1n << 24n);
                        s = next(s);
                        val y = (s >> 40) as Float / (1n << 24n);
                        val m = CUDAWarp.ballot(x * x + y * y < 1.0f);
                        if (CUDAWarp.lane() == 0n) mine += (m as UInt).bitCount();
                    }
                    if (mine > 0) CUDAAtomic.add(hits, 0, mine);
                }
            }
        }
        var e:Long = 0;
        for (i in 0..(T * B - 1)) {
            var s:ULong = (i as ULong) * 6364136223846793005ul + 1442695040888963407ul;
            for (k in 0..199) {
                s = next(s); val x = (s >> 40) as Float / (1n << 24n);
                s = next(s); val y = (s >> 40) as Float / (1n << 24n);
                if (x * x + y * y < 1.0f) e++;
            }
        }
        return get(hits)(0) == e;
    }

    /** Search for a text. */
    static def find(p:Place):Boolean {
        val text = new Rail[Char](5000, (i:Long) => ('a'.ord() + ((i * i / 3) % 5) as Int) as Char);
        val word = [text(1234), text(1235), text(1236), text(1237)];
        val n = text.size, m = word.size;
        val marks = CUDAUtilities.makeGlobalRail[Boolean](p, n, false);
        finish async at (p) @CUDA {
            finish for (b in 0n..((n as Int - 1n) / 200n)) async {
                clocked finish for (t in 0n..199n) clocked async {
                    val i = b * 200n + t;
                    var hit:Boolean = i + m <= n;
                    search: for (var k:Int = 0n; hit && k < m; k++) {
                        if (text(i + k) == word(k)) continue search;
                        hit = false;
                        break search;
                    }
                    if (hit) marks(i) = true;
                }
            }
        }
        val e = new Rail[Boolean](n, (i:Long) => { var ok:Boolean = i + m <= n; for (k in 0..(m - 1)) ok = ok && text(i + k) == word(k); ok });
        return same(get(marks), e);
    }

    /** Best few of each query. */
    static K = 4n;
    static def nearest(p:Place):Boolean {
        val n = 500n, q = 70n;
        val pts = new Rail[Float](n, (i:Long) => ((i * 7919) % 1009) as Float);
        val o = CUDAUtilities.makeGlobalRail[Float](p, q * K);
        finish async at (p) @CUDA {
            val c = CUDAConstantRail(pts);
            finish for (b in 0n..((q + 31n) / 32n - 1n)) async {
                clocked finish for (t in 0n..31n) clocked async {
                    @StackAllocate val best = new Rail[Float](K, Float.MAX_VALUE);
                    val me = b * 32n + t;
                    for (i in 0n..(n - 1n)) {
                        val d = Math.abs(c(i) - me * 10.0f);
                        if (d < best(K - 1n)) {
                            var k:Int = K - 1n;
                            while (k > 0n && best(k - 1n) > d) { best(k) = best(k - 1n); k--; }
                            best(k) = d;
                        }
                    }
                    if (me < q) @Unroll(4) for (k in 0n..(K - 1n)) o(me * K + k) = best(k);
                }
            }
        }
        val e = new Rail[Float](q * K);
        for (i in 0..(q - 1)) {
            val ds = new Rail[Float](n, (j:Long) => Math.abs(pts(j) - i * 10.0f));
            RailUtils.sort(ds, (x:Float, y:Float) => x < y ? -1n : x > y ? 1n : 0n);
            for (k in 0..(K - 1)) e(i * K + k) = ds(k);
        }
        return same(get(o), e);
    }

    /** Shortest ways in tiles. */
    static def floyd(p:Place):Boolean {
        val n = 48n, TS = 16n, big = 1000000n;
        val d = new Rail[Int](n * n, (i:Long) => i / n == i % n ? 0n : (i * 31 % 7 == 0) ? ((i % 19) + 1) as Int : big);
        val a = put(p, d);
        for (k in 0n..(n / TS - 1n))
            for (phase in 0n..2n) {
                val kl = k as Long;
                finish async at (p) @CUDA {
                    finish for ([by, bx] in 0n..(n / TS - 1n) * 0n..(n / TS - 1n)) async {
                        val s = new Rail[Int](TS * TS);
                        val u = new Rail[Int](TS * TS);
                        val v = new Rail[Int](TS * TS);
                        clocked finish for ([ty, tx] in 0n..(TS - 1n) * 0n..(TS - 1n)) clocked async {
                            val mine = (by == kl && bx == kl ? 0n : by == kl || bx == kl ? 1n : 2n) == phase;
                            val l = ty * TS + tx;
                            s(l) = a((by * TS + ty) * n + bx * TS + tx);
                            u(l) = a((by * TS + ty) * n + k * TS + tx);
                            v(l) = a((k * TS + ty) * n + bx * TS + tx);
                            Clock.advanceAll();
                            if (mine) {
                                for (j in 0n..(TS - 1n)) {
                                    val left = bx == kl ? s(ty * TS + j) : u(ty * TS + j), right = by == kl ? s(j * TS + tx) : v(j * TS + tx);
                                    if (left + right < s(l)) s(l) = left + right;
                                    Clock.advanceAll();
                                }
                                a((by * TS + ty) * n + bx * TS + tx) = s(l);
                            }
                        }
                    }
                }
            }
        val e = new Rail[Int](d);
        for (k in 0..(n - 1)) for (i in 0..(n - 1)) for (j in 0..(n - 1)) e(i * n + j) = Math.min(e(i * n + j), e(i * n + k) + e(k * n + j));
        return same(get(a), e);
    }

    /** Arg max with shuffles of a struct. */
    static struct Best(value:Float, index:Int) {
        @CUDA def better(o:Best):Best = o.value > value || (o.value == value && o.index < index) ? o : this;
    }
    @CUDA static def warpBest(b:Best):Best {
        var best:Best = b;
        for (var d:Int = 16n; d > 0n; d /= 2n) best = best.better(CUDAWarp.shuffleDown(best, d));
        return best;
    }
    static def argmax(p:Place):Boolean {
        val n = 54321n, nb = 13n;
        val data = new Rail[Float](n, (i:Long) => ((i * 7919) % 50021) as Float);
        val d = put(p, data);
        val v = CUDAUtilities.makeGlobalRail[Float](p, nb), ix = CUDAUtilities.makeGlobalRail[Int](p, nb);
        finish async at (p) @CUDA {
            finish for (bid in 0n..(nb - 1n)) async {
                val vals = new Rail[Float](32);
                val idxs = new Rail[Int](32);
                clocked finish for (tid in 0n..255n) clocked async {
                    var best:Best = Best(-1.0f, Int.MAX_VALUE);
                    var i:Int = bid * 256n + tid;
                    while (i < n) {
                        best = best.better(Best(d(i), i));
                        i += nb * 256n;
                    }
                    best = warpBest(best);
                    if ((tid & 31n) == 0n) { vals(tid >> 5n) = best.value; idxs(tid >> 5n) = best.index; }
                    Clock.advanceAll();
                    if (tid < 32n) {
                        best = tid < 8n ? Best(vals(tid), idxs(tid)) : Best(-1.0f, Int.MAX_VALUE);
                    }
                    best = warpBest(best);
                    if (tid == 0n) { v(bid) = best.value; ix(bid) = best.index; }
                }
            }
        }
        var e:Best = Best(-1.0f, Int.MAX_VALUE);
        for (i in 0n..(n - 1n)) e = e.better(Best(data(i), i));
        var f:Best = Best(-1.0f, Int.MAX_VALUE);
        val hv = get(v), hi = get(ix);
        for (i in hv.range()) f = f.better(Best(hv(i), hi(i)));
        return e.value == f.value && e.index == f.index;
    }

    /** Breadth first search with a queue. */
    static def bfs(p:Place):Boolean {
        val n = 5000n, deg = 3n;
        val edges = new Rail[Int](n * deg, (i:Long) => ((i * 48271 + 11) % n) as Int);
        val e = put(p, edges);
        val dist = CUDAUtilities.makeGlobalRail[Int](p, n, -1n);
        val queue = CUDAUtilities.makeGlobalRail[Int](p, n), next = CUDAUtilities.makeGlobalRail[Int](p, n);
        val tail = CUDAUtilities.makeGlobalRail[Int](p, 1);
        val one = new Rail[Int](1);
        finish { Rail.asyncCopy(one, 0, dist, 0, 1); Rail.asyncCopy(one, 0, queue, 0, 1); }
        var size:Int = 1n;
        var level:Int = 0n;
        var from:GlobalRail[Int]{self.home() == p} = queue;
        var to:GlobalRail[Int]{self.home() == p} = next;
        while (size > 0n) {
            val sz = size, lv = level + 1n, q = from, nq = to;
            finish Rail.asyncCopy(new Rail[Int](1), 0, tail, 0, 1);
            finish async at (p) @CUDA {
                finish for (b in 0n..((sz - 1n) / 64n)) async {
                    clocked finish for (t in 0n..63n) clocked async {
                        val k = b * 64n + t;
                        if (k < sz) {
                            val v = q(k);
                            for (j in 0n..(deg - 1n)) {
                                val u = e(v * deg + j);
                                if (dist(u) < 0n && CUDAAtomic.cas(dist, u, -1n, lv) == -1n) nq(CUDAAtomic.add(tail, 0, 1n)) = u;
                            }
                        }
                    }
                }
            }
            size = get(tail)(0);
            level++;
            val s = from; from = to; to = s;
        }
        val ed = new Rail[Int](n, -1n);
        val list = new ArrayList[Int]();
        list.add(0n); ed(0) = 0n;
        for (var i:Long = 0; i < list.size(); i++) { val v = list(i); for (j in 0..(deg - 1)) { val u = edges(v * deg + j); if (ed(u) < 0n) { ed(u) = ed(v) + 1n; list.add(u); } } }
        return same(get(dist), ed);
    }

    public static def main(Rail[String]) {
        val p = PlaceTopology.getTopology().numChildren(here) > 0 ? PlaceTopology.getTopology().getChild(here, 0) : here;
        Console.OUT.println("table " + table(p));
        Console.OUT.println("fields " + fields(p));
        Console.OUT.println("particles " + particles(p));
        Console.OUT.println("cube " + cube(p));
        Console.OUT.println("gauss " + gauss(p, 7n) + gauss(p, 33n));
        Console.OUT.println("segments " + segments(p));
        Console.OUT.println("flight " + flight(p));
        Console.OUT.println("failing " + failing(p));
        Console.OUT.println("align " + align(p));
        Console.OUT.println("fft " + fft(p));
        Console.OUT.println("pi " + pi(p));
        Console.OUT.println("find " + find(p));
        Console.OUT.println("nearest " + nearest(p));
        Console.OUT.println("floyd " + floyd(p));
        Console.OUT.println("argmax " + argmax(p));
        Console.OUT.println("bfs " + bfs(p));
    }
}
