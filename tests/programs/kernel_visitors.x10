import x10.compiler.CUDA;
import x10.compiler.Unroll;
import x10.util.*;

/** Kernels that come from CUDA's textbooks, each against a plain loop. */
public class kernel_visitors {
    static def fetch[T](g:GlobalRail[T]){T haszero}:Rail[T] {
        val r = new Rail[T](g.size);
        finish Rail.asyncCopy(g, 0, r, 0, g.size);
        return r;
    }
    static def send[T](p:Place, r:Rail[T]){T haszero}:GlobalRail[T]{self.home()==p} {
        val g = CUDAUtilities.makeGlobalRail[T](p, r.size);
        finish Rail.asyncCopy(r, 0, g, 0, r.size);
        return g;
    }
    /** The output is the same with a GPU. */
    static def say(p:Place, name:String, ok:Boolean) {
        if (p == here || !ok) Console.OUT.println(name + (ok ? ": ok" : ": WRONG"));
    }
    static def same[T](a:Rail[T], b:Rail[T]):Boolean {
        if (a.size != b.size) return false;
        for (i in a.range()) if (a(i) != b(i)) return false;
        return true;
    }

    static WARP = 32n;
    static THREADS = 256n;

    @CUDA static def warpSum(x:Float):Float {
        var v:Float = x;
        for (var d:Int = WARP / 2n; d > 0n; d >>= 1n) v += CUDAWarp.shuffleDown(v, d);
        return v;
    }

    /** A sum by shuffles: warps first, then the sums of the warps by the first warp. */
    static def reduce(p:Place) {
        val n = 100003n, blocks = 64n;
        val data = new Rail[Float](n, (i:Long)=>(i % 7) as Float);
        val d = send[Float](p, data);
        val partial = CUDAUtilities.makeGlobalRail[Float](p, blocks as Long);
        finish async at (p) @CUDA {
            finish for (b in 0n..(blocks - 1n)) async {
                val sums = new Rail[Float](WARP, 0.0f);
                clocked finish for (t in 0n..(THREADS - 1n)) clocked async {
                    var sum:Float = 0.0f;
                    for (var i:Int = b * THREADS + t; i < n; i += blocks * THREADS) sum += d(i);
                    sum = warpSum(sum);
                    val lane = t % WARP, warp = t / WARP;
                    if (lane == 0n) sums(warp) = sum;
                    Clock.advanceAll();
                    var all:Float = t < THREADS / WARP ? sums(lane) : 0.0f;
                    all = warpSum(all);
                    if (t == 0n) partial(b) = all;
                }
            }
        }
        var expected:Float = 0.0f;
        for (x in data) expected += x;
        var found:Float = 0.0f;
        for (x in fetch(partial)) found += x;
        say(p, "sum by shuffles", found == expected);
        CUDAUtilities.deleteGlobalRail(d);
        CUDAUtilities.deleteGlobalRail(partial);
    }

    /** Elements that a condition holds for, in their order: flags, a scan in the block, a counter a block. */
    static def compact(p:Place) {
        val n = 20000n;
        val data = new Rail[Int](n, (i:Long)=>((i * 7919) % 1000) as Int);
        val d = send(p, data);
        val blocks = (n + THREADS - 1n) / THREADS;
        val counts = CUDAUtilities.makeGlobalRail[Int](p, blocks as Long);
        val out = CUDAUtilities.makeGlobalRail[Int](p, n as Long);
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (t in 0n..(THREADS - 1n)) clocked async {
                    val i = block * THREADS + t;
                    val keep = i < n && d(i) < 300n;
                    val all = CUDABlock.count(keep);
                    if (t == 0n) counts(block) = all;
                }
            }
        }
        val starts = fetch(counts);
        var total:Int = 0n;
        for (i in starts.range()) { val c = starts(i); starts(i) = total; total += c; }
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                val flags = new Rail[Int](THREADS, 0n);
                clocked finish for (t in 0n..(THREADS - 1n)) clocked async {
                    val i = block * THREADS + t;
                    val x = i < n ? d(i) : 1000n;
                    val keep = x < 300n ? 1n : 0n;
                    flags(t) = keep;
                    Clock.advanceAll();
                    for (var offset:Int = 1n; offset < THREADS; offset <<= 1) {
                        val before = t >= offset ? flags(t - offset) : 0n;
                        Clock.advanceAll();
                        flags(t) += before;
                        Clock.advanceAll();
                    }
                    if (keep == 1n) out(starts(block) + flags(t) - 1n) = x;
                }
            }
        }
        val found = fetch(out);
        var at0:Long = 0;
        var ok:Boolean = true;
        for (x in data) if (x < 300n) ok &= found(at0++) == x;
        say(p, "compaction", ok && at0 == total as Long);
        CUDAUtilities.deleteGlobalRail(d);
        CUDAUtilities.deleteGlobalRail(counts);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** Bitonic sort: blocks in shared memory first, the rest by one kernel a step. */
    static def bitonic(p:Place) {
        val n = 4096n, size = 512n;
        val data = new Rail[Float](n, (i:Long)=>((i * 7919 + 13) % 4099) as Float);
        val d = send(p, data);
        finish async at (p) @CUDA {
            finish for (block in 0n..(n / size - 1n)) async {
                val s = new Rail[Float](size);
                clocked finish for (t in 0n..(size / 2n - 1n)) clocked async {
                    val base = block * size;
                    s(t) = d(base + t);
                    s(t + size / 2n) = d(base + t + size / 2n);
                    for (var k:Int = 2n; k <= size; k <<= 1) {
                        for (var j:Int = k >> 1; j > 0n; j >>= 1) {
                            Clock.advanceAll();
                            val i = 2n * t - (t & (j - 1n));
                            val up = ((base + i) & k) == 0n;
                            val a = s(i), b = s(i + j);
                            if ((a > b) == up) { s(i) = b; s(i + j) = a; }
                        }
                    }
                    Clock.advanceAll();
                    d(base + t) = s(t);
                    d(base + t + size / 2n) = s(t + size / 2n);
                }
            }
        }
        for (var k:Int = size * 2n; k <= n; k *= 2n) {
            for (var j:Int = k / 2n; j > 0n; j /= 2n) {
                val kk = k, jj = j;
                finish async at (p) @CUDA {
                    finish for (block in 0n..(n / 256n - 1n)) async {
                        clocked finish for (t in 0n..255n) clocked async {
                            val i = block * 256n + t;
                            val ixj = i ^ jj;
                            if (ixj > i) {
                                if ((i & kk) == 0n && d(i) > d(ixj) || (i & kk) != 0n && d(i) < d(ixj)) {
                                    val temp = d(i);
                                    d(i) = d(ixj);
                                    d(ixj) = temp;
                                }
                            }
                        }
                    }
                }
            }
        }
        val found = fetch(d);
        RailUtils.sort(data);
        say(p, "bitonic sort", same(found, data));
        CUDAUtilities.deleteGlobalRail(d);
    }

    /** A pass of radix sort over 4 bits: counts by digit and block, then places. */
    static def radix(p:Place) {
        val n = 10000n, digits = 16n, size = 256n;
        val blocks = (n + size - 1n) / size;
        val keys = new Rail[UInt](n, (i:Long)=>((i * 2654435761) & 0xffff) as UInt);
        var from:GlobalRail[UInt]{self.home()==p} = send(p, keys);
        var to:GlobalRail[UInt]{self.home()==p} = CUDAUtilities.makeGlobalRail[UInt](p, n as Long);
        val counts = CUDAUtilities.makeGlobalRail[Int](p, (digits * blocks) as Long);
        for (var shift:Int = 0n; shift < 16n; shift += 4n) {
            val src = from, dst = to, s = shift;
            finish async at (p) @CUDA {
                finish for (block in 0n..(blocks - 1n)) async {
                    val histogram = new Rail[Int](digits, 0n);
                    clocked finish for (t in 0n..(size - 1n)) clocked async {
                        val i = block * size + t;
                        if (i < n) {
                            val digit = ((src(i) >> s) & 15un) as Int;
                            CUDAAtomic.add(histogram, digit, 1n);
                        }
                        Clock.advanceAll();
                        if (t < digits) counts(t * blocks + block) = histogram(t);
                    }
                }
            }
            val offsets = fetch(counts);
            var run:Int = 0n;
            for (i in offsets.range()) { val c = offsets(i); offsets(i) = run; run += c; }
            finish async at (p) @CUDA {
                finish for (block in 0n..(blocks - 1n)) async {
                    val digit = new Rail[Byte](size);
                    clocked finish for (t in 0n..(size - 1n)) clocked async {
                        val i = block * size + t;
                        val key = i < n ? src(i) : 0un;
                        val mine = i < n ? ((key >> s) & 15un) as Byte : (-1 as Byte);
                        digit(t) = mine;
                        Clock.advanceAll();
                        if (i < n) {
                            var rank:Int = 0n;
                            for (var j:Int = 0n; j < t; j++) if (digit(j) == mine) rank++;
                            dst(offsets((mine as Int) * blocks + block) + rank) = key;
                        }
                    }
                }
            }
            from = dst;
            to = src;
        }
        val found = fetch(from);
        RailUtils.sort(keys);
        say(p, "radix sort", same(found, keys));
        CUDAUtilities.deleteGlobalRail(from);
        CUDAUtilities.deleteGlobalRail(to);
        CUDAUtilities.deleteGlobalRail(counts);
    }

    /** Conway's game with a tile and its halo in shared memory; the world is a torus. */
    static def life(p:Place) {
        val w = 100n, h = 70n, tile = 16n, pitch = tile + 2n;
        val world = new Rail[Byte](w * h, (i:Long)=>((i * i * 31 + i * 7) % 3 == 0 ? 1 : 0) as Byte);
        var a:GlobalRail[Byte]{self.home()==p} = send(p, world);
        var b:GlobalRail[Byte]{self.home()==p} = CUDAUtilities.makeGlobalRail[Byte](p, world.size);
        for (step in 1..5) {
            val now = a, next = b;
            finish async at (p) @CUDA {
                finish for ([by, bx] in 0n..((h + tile - 1n) / tile - 1n) * 0n..((w + tile - 1n) / tile - 1n)) async {
                    val s = new Rail[Byte](pitch * pitch);
                    clocked finish for ([ty, tx] in 0n..(tile - 1n) * 0n..(tile - 1n)) clocked async {
                        val id = (ty * tile + tx) as Int;
                        for (var k:Int = id; k < pitch * pitch; k += tile * tile) {
                            val y = (by * tile + k / pitch - 1n + h) % h;
                            val x = (bx * tile + k % pitch - 1n + w) % w;
                            s(k) = now(y * w + x);
                        }
                        Clock.advanceAll();
                        val x = (bx * tile + tx) as Int, y = (by * tile + ty) as Int;
                        if (x < w && y < h) {
                            var alive:Int = 0n;
                            for (dy in -1n..1n) for (dx in -1n..1n)
                                if (dx != 0n || dy != 0n) alive += s((ty + 1n + dy) * pitch + tx + 1n + dx);
                            val me = s((ty + 1n) * pitch + tx + 1n);
                            next(y * w + x) = (alive == 3n || (alive == 2n && me == (1 as Byte)) ? 1 : 0) as Byte;
                        }
                    }
                }
            }
            a = next;
            b = now;
        }
        var old:Rail[Byte] = world;
        for (step in 1..5) {
            val fresh = new Rail[Byte](world.size);
            for (y in 0n..(h - 1n)) for (x in 0n..(w - 1n)) {
                var alive:Int = 0n;
                for (dy in -1n..1n) for (dx in -1n..1n)
                    if (dx != 0n || dy != 0n) alive += old((y + dy + h) % h * w + (x + dx + w) % w);
                fresh(y * w + x) = (alive == 3n || alive == 2n && old(y * w + x) == (1 as Byte) ? 1 : 0) as Byte;
            }
            old = fresh;
        }
        say(p, "life", same(fetch(a), old));
        CUDAUtilities.deleteGlobalRail(a);
        CUDAUtilities.deleteGlobalRail(b);
    }

    /** A convolution whose weights are in constant memory. */
    static def convolve(p:Place) {
        val n = 5000n, radius = 8n, threads = 128n;
        val weights = new Rail[Float](2n * radius + 1n, (i:Long)=>(i + 1) as Float);
        val data = new Rail[Float](n, (i:Long)=>(i % 11) as Float);
        val d = send(p, data), out = CUDAUtilities.makeGlobalRail[Float](p, n as Long);
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            val weight = CUDAConstantRail(weights);
            finish for (block in 0n..(blocks - 1n)) async {
                val tile = new Rail[Float](threads + 2n * radius);
                clocked finish for (t in 0n..(threads - 1n)) clocked async {
                    for (var base:Int = block * threads; base < n; base += blocks * threads) {
                        val i = base + t;
                        tile(t + radius) = i < n ? d(i) : 0.0f;
                        if (t < radius) {
                            tile(t) = i >= radius ? d(i - radius) : 0.0f;
                            tile(t + radius + threads) = i + threads < n ? d(i + threads) : 0.0f;
                        }
                        Clock.advanceAll();
                        if (i < n) {
                            var sum:Float = 0.0f;
                            @Unroll(17) for (k in 0n..(2n * radius)) sum += weight(k) * tile(t + k);
                            out(i) = sum;
                        }
                        Clock.advanceAll();
                    }
                }
            }
        }
        val found = fetch(out);
        var ok:Boolean = true;
        for (i in 0n..(n - 1n)) {
            var sum:Float = 0.0f;
            for (k in 0n..(2n * radius)) {
                val j = i + k - radius;
                if (j >= 0n && j < n) sum += weights(k) * data(j);
            }
            ok &= sum == found(i);
        }
        say(p, "convolution", ok);
        CUDAUtilities.deleteGlobalRail(d);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** Prefix sums of a warp. */
    @CUDA static def warpScan(x:Int):Int {
        var v:Int = x;
        for (var d:Int = 1n; d < WARP; d <<= 1) {
            val before = CUDAWarp.shuffleUp(v, d);
            if (CUDAWarp.lane() >= d) v += before;
        }
        return v;
    }

    /** Prefix sums of a block: the warps', then what is before each warp. */
    @CUDA static def blockScan(x:Int, sums:Rail[Int]):Int {
        val mine = warpScan(x), warp = CUDAWarp.index();
        if (CUDAWarp.lane() == WARP - 1n) sums(warp) = mine;
        Clock.advanceAll();
        var before:Int = 0n;
        for (w in 0n..(warp - 1n)) before += sums(w);
        Clock.advanceAll();
        return before + mine;
    }

    /** A scan by functions that themselves have barriers and shuffles, called twice in one expression. */
    static def scan(p:Place) {
        val n = 5000n, size = 192n;
        val data = new Rail[Int](n, (i:Long)=>((i * 31) % 17) as Int);
        val d = send(p, data), out = CUDAUtilities.makeGlobalRail[Int](p, n as Long);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + size - 1n) / size - 1n)) async {
                val sums = new Rail[Int](WARP);
                clocked finish for (t in 0n..(size - 1n)) clocked async {
                    val i = block * size + t;
                    val x = i < n ? d(i) : 0n;
                    val both = blockScan(x, sums) + 1000n * blockScan(x & 1n, sums);
                    if (i < n) out(i) = both;
                }
            }
        }
        val found = fetch(out);
        var ok:Boolean = true;
        var sum:Int = 0n, odd:Int = 0n;
        for (i in 0n..(n - 1n)) {
            if (i % size == 0n) { sum = 0n; odd = 0n; }
            sum += data(i);
            odd += data(i) & 1n;
            ok &= found(i) == sum + 1000n * odd;
        }
        say(p, "scan by functions", ok);
        CUDAUtilities.deleteGlobalRail(d);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** A matrix times a vector: a block for each row, the vector in shared memory by parts. */
    static def vector(p:Place) {
        val rows = 123n, columns = 457n, size = 128n;
        val m = new Rail[Double](rows * columns, (i:Long)=>((i * 3) % 13) as Double);
        val x = new Rail[Double](columns, (i:Long)=>(i % 5) as Double);
        val a = send(p, m), y = CUDAUtilities.makeGlobalRail[Double](p, rows as Long);
        finish async at (p) @CUDA {
            finish for (row in 0n..(rows - 1n)) async {
                val partial = new Rail[Double](size);
                clocked finish for (t in 0n..(size - 1n)) clocked async {
                    var sum:Double = 0.0;
                    for (var c:Int = t; c < columns; c += size) sum += a(row * columns + c) * x(c);
                    partial(t) = sum;
                    for (var half:Int = size / 2n; half > 0n; half /= 2n) {
                        Clock.advanceAll();
                        if (t < half) partial(t) += partial(t + half);
                    }
                    if (t == 0n) y(row) = partial(0);
                }
            }
        }
        val found = fetch(y);
        var ok:Boolean = true;
        for (r in 0n..(rows - 1n)) {
            var sum:Double = 0.0;
            for (c in 0n..(columns - 1n)) sum += m(r * columns + c) * x(c);
            ok &= sum == found(r);
        }
        say(p, "matrix and vector", ok);
        CUDAUtilities.deleteGlobalRail(a);
        CUDAUtilities.deleteGlobalRail(y);
    }

    /** Distances in a graph by frontiers, whose ends are counted by atomics. */
    static def search(p:Place) {
        val n = 2000n, degree = 3n;
        val starts = new Rail[Int](n + 1n, (i:Long)=>(i * degree) as Int);
        val edges = new Rail[Int](n * degree, (i:Long)=>((i * 37 + (i % 3) * 101 + 5) % n) as Int);
        val distance = send(p, new Rail[Int](n, (i:Long)=>i == 0 ? 0n : -1n));
        var now:GlobalRail[Int]{self.home()==p} = send(p, new Rail[Int](n));
        var next:GlobalRail[Int]{self.home()==p} = CUDAUtilities.makeGlobalRail[Int](p, n as Long);
        val count = CUDAUtilities.makeGlobalRail[Int](p, 1);
        var length:Int = 1n;
        var level:Int = 0n;
        while (length > 0n) {
            level++;
            finish Rail.asyncCopy(new Rail[Int](1), 0, count, 0, 1);
            val frontier = now, out = next, many = length, depth = level;
            finish async at (p) @CUDA {
                finish for (block in 0n..((many + 63n) / 64n - 1n)) async {
                    clocked finish for (t in 0n..63n) clocked async {
                        val i = block * 64n + t;
                        if (i < many) {
                            val v = frontier(i);
                            for (var e:Int = starts(v); e < starts(v + 1n); e++) {
                                val u = edges(e);
                                if (CUDAAtomic.cas(distance, u, -1n, depth) == -1n)
                                    out(CUDAAtomic.add(count, 0, 1n)) = u;
                            }
                        }
                    }
                }
            }
            length = fetch(count)(0);
            now = out;
            next = frontier;
        }
        val expected = new Rail[Int](n, -1n);
        expected(0) = 0n;
        val queue = new ArrayList[Int]();
        queue.add(0n);
        for (var head:Long = 0; head < queue.size(); head++) {
            val v = queue(head);
            for (e in starts(v)..(starts(v + 1n) - 1n)) {
                val u = edges(e);
                if (expected(u) < 0n) { expected(u) = expected(v) + 1n; queue.add(u); }
            }
        }
        say(p, "breadth first", same(fetch(distance), expected));
        CUDAUtilities.deleteGlobalRail(distance);
        CUDAUtilities.deleteGlobalRail(now);
        CUDAUtilities.deleteGlobalRail(next);
        CUDAUtilities.deleteGlobalRail(count);
    }

    /** Jacobi's steps until nothing changes much: the greatest change by a reduction and an atomic. */
    static def jacobi(p:Place) {
        val n = 34n;
        val first = new Rail[Double](n * n, (i:Long)=>i < n ? 1.0 : 0.0);
        var u:GlobalRail[Double]{self.home()==p} = send(p, first);
        var v:GlobalRail[Double]{self.home()==p} = send(p, first);
        val change = CUDAUtilities.makeGlobalRail[Double](p, 1);
        var steps:Int = 0n;
        var greatest:Double = 1.0;
        while (greatest > 1.0e-3 && steps < 1000n) {
            val old = u, fresh = v;
            finish Rail.asyncCopy(new Rail[Double](1), 0, change, 0, 1);
            finish async at (p) @CUDA {
                finish for ([by, bx] in 0n..3n * 0n..3n) async {
                    clocked finish for ([ty, tx] in 0n..7n * 0n..7n) clocked async {
                        val i = by * 8n + ty + 1n, j = bx * 8n + tx + 1n;
                        val mean = 0.25 * (old((i - 1n) * n + j) + old((i + 1n) * n + j) + old(i * n + j - 1n) + old(i * n + j + 1n));
                        val delta = Math.abs(mean - old(i * n + j));
                        fresh(i * n + j) = mean;
                        val most = CUDABlock.max(delta);
                        if (tx == 0 && ty == 0) CUDAAtomic.max(change, 0, most);
                    }
                }
            }
            greatest = fetch(change)(0);
            u = fresh;
            v = old;
            steps++;
        }
        var a:Rail[Double] = first;
        var rounds:Int = 0n;
        for (var most:Double = 1.0; most > 1.0e-3 && rounds < 1000n; rounds++) {
            val b = new Rail[Double](a);
            most = 0.0;
            for (i in 1n..(n - 2n)) for (j in 1n..(n - 2n)) {
                b(i * n + j) = 0.25 * (a((i - 1n) * n + j) + a((i + 1n) * n + j) + a(i * n + j - 1n) + a(i * n + j + 1n));
                most = Math.max(most, Math.abs(b(i * n + j) - a(i * n + j)));
            }
            a = b;
        }
        val found = fetch(u);
        var ok:Boolean = steps == rounds;
        for (i in found.range()) ok &= Math.abs(found(i) - a(i)) < 1.0e-12;
        say(p, "jacobi", ok);
        CUDAUtilities.deleteGlobalRail(u);
        CUDAUtilities.deleteGlobalRail(v);
        CUDAUtilities.deleteGlobalRail(change);
    }

    static struct Cell(t:Float, q:Float, solid:Boolean) {
        @CUDA operator this + (o:Cell) = Cell(t + o.t, q + o.q, solid || o.solid);
        @CUDA def flow(o:Cell) = solid || o.solid ? 0.0f : o.t - t;
    }
    static struct Grid(nx:Int, ny:Int, nz:Int) {
        @CUDA def index(x:Int, y:Int, z:Int) = (z * ny + y) * nx + x;
        @CUDA def inside(x:Int, y:Int, z:Int) = x > 0n && x < nx - 1n && y > 0n && y < ny - 1n && z > 0n && z < nz - 1n;
        def size() = (nx * ny * nz) as Long;
    }

    @CUDA static def step(g:Grid, cells:GlobalRail[Cell], x:Int, y:Int, z:Int):Cell {
        val i = g.index(x, y, z);
        val c = cells(i);
        if (c.solid || !g.inside(x, y, z)) return c;
        val flow = c.flow(cells(g.index(x - 1n, y, z))) + c.flow(cells(g.index(x + 1n, y, z)))
            + c.flow(cells(g.index(x, y - 1n, z))) + c.flow(cells(g.index(x, y + 1n, z)))
            + c.flow(cells(g.index(x, y, z - 1n))) + c.flow(cells(g.index(x, y, z + 1n)));
        return Cell(c.t + 0.125f * flow + c.q, c.q, false);
    }
    static def stepHere(g:Grid, cells:Rail[Cell], x:Int, y:Int, z:Int):Cell {
        val c = cells(g.index(x, y, z));
        if (c.solid || !g.inside(x, y, z)) return c;
        val flow = c.flow(cells(g.index(x - 1n, y, z))) + c.flow(cells(g.index(x + 1n, y, z)))
            + c.flow(cells(g.index(x, y - 1n, z))) + c.flow(cells(g.index(x, y + 1n, z)))
            + c.flow(cells(g.index(x, y, z - 1n))) + c.flow(cells(g.index(x, y, z + 1n)));
        return Cell(c.t + 0.125f * flow + c.q, c.q, false);
    }

    /** Heat in three dimensions among cells that are structs. */
    static def cells(p:Place) {
        val g = Grid(20n, 18n, 9n);
        val first = new Rail[Cell](g.size(), (i:Long)=>Cell((i % 50) as Float, i % 40 == 0 ? 1.0f : 0.0f, i % 17 == 3));
        val now = send(p, first), next = CUDAUtilities.makeGlobalRail[Cell](p, g.size());
        finish async at (p) @CUDA {
            finish for ([bz, by, bx] in 0n..(g.nz - 1n) * 0n..((g.ny + 7n) / 8n - 1n) * 0n..((g.nx + 15n) / 16n - 1n)) async {
                clocked finish for ([ty, tx] in 0n..7n * 0n..15n) clocked async {
                    val x = (bx * 16n + tx) as Int, y = (by * 8n + ty) as Int, z = bz as Int;
                    if (x < g.nx && y < g.ny) next(g.index(x, y, z)) = step(g, now, x, y, z);
                }
            }
        }
        val found = fetch(next);
        var ok:Boolean = true;
        for (z in 0n..(g.nz - 1n)) for (y in 0n..(g.ny - 1n)) for (x in 0n..(g.nx - 1n))
            ok &= found(g.index(x, y, z)) == stepHere(g, first, x, y, z);
        say(p, "cells", ok);
        CUDAUtilities.deleteGlobalRail(now);
        CUDAUtilities.deleteGlobalRail(next);
    }

    static def all(p:Place) {
        reduce(p); compact(p); scan(p); bitonic(p); radix(p); life(p); convolve(p); vector(p); search(p); jacobi(p); cells(p);
    }
    public static def main(Rail[String]) {
        all(here);
        for (p in PlaceTopology.getTopology().children(here)) all(p);
    }
}
