import x10.compiler.*;
import x10.util.*;

/** Kernels that one writes first, each against a plain loop. */
public class kernel_classics {
    public static def main(args:Rail[String]) {
        Heat.main(args);
        PrefixSums.main(args);
        SmallMatrices.main(args);
        Tiles.main(args);
        Factors.main(args);
        Boxes.main(args);
        Pi.main(args);
        Sorting.main(args);
    }
}

/** Heat in two dimensions, tile with halo in shared memory; Double. */
class Heat {
    static T = 16n;
    static def step(gpu:Place, n:Int, k:Double, u:GlobalRail[Double]{self.home==gpu}, v:GlobalRail[Double]{self.home==gpu}) {
        val tiles = (n + T - 1n) / T;
        finish async at (gpu) @CUDA {
            finish for ([bi, bj] in 0n..(tiles - 1n) * 0n..(tiles - 1n)) async {
                val tile = new Rail[Double]((T + 2n) * (T + 2n), 0.0);
                clocked finish for ([ti, tj] in 0n..(T - 1n) * 0n..(T - 1n)) clocked async {
                    val i = bi * T + ti;
                    val j = bj * T + tj;
                    val s = (ti + 1n) * (T + 2n) + tj + 1n;
                    if (i < n && j < n) {
                        tile(s) = u(i * n + j);
                        if (ti == 0 && i > 0n) tile(s - T - 2n) = u((i - 1n) * n + j);
                        if (ti == (T - 1n) as Long && i < n - 1n) tile(s + T + 2n) = u((i + 1n) * n + j);
                        if (tj == 0 && j > 0n) tile(s - 1n) = u(i * n + j - 1n);
                        if (tj == (T-1) as Long && j < n - 1n) tile(s + 1n) = u(i * n + j + 1n);
                    }
                    Clock.advanceAll();
                    if (i > 0n && i < n - 1n && j > 0n && j < n - 1n) {
                        val c = tile(s);
                        v(i * n + j) = c + k * (tile(s - 1n) + tile(s + 1n) + tile(s - T - 2n) + tile(s + T + 2n) - 4.0 * c);
                    }
                }
            }
        }
    }
    public static def main(args:Rail[String]) {
        val topo = PlaceTopology.getTopology();
        val gpu = topo.numChildren(here) == 0 ? here : topo.getChild(here, 0);
        val n = 130n;
        var h:Rail[Double] = new Rail[Double](n * n, (i:Long) => (i / n == 0) ? 100.0 : 0.0);
        var a:GlobalRail[Double]{self.home==gpu} = CUDAUtilities.makeGlobalRail[Double](gpu, n * n, h);
        var b:GlobalRail[Double]{self.home==gpu} = CUDAUtilities.makeGlobalRail[Double](gpu, n * n, h);
        for (s in 1..50) {
            step(gpu, n, 0.2, a, b);
            val t = a; a = b; b = t;
            val g = new Rail[Double](h);
            for (i in 1..(n - 2)) for (j in 1..(n - 2))
                g(i * n + j) = h(i * n + j) + 0.2 * (h(i * n + j - 1) + h(i * n + j + 1) + h((i - 1) * n + j) + h((i + 1) * n + j) - 4.0 * h(i * n + j));
            h = g;
        }
        val got = new Rail[Double](n * n);
        finish Rail.asyncCopy(a, 0, got, 0, got.size);
        var worst:Double = 0.0;
        for (i in got.range) worst = Math.max(worst, Math.abs(got(i) - h(i)));
        Console.OUT.println("heat " + (worst < 1e-9 ? "ok" : "WRONG " + worst));
    }
}

/** Hillis-Steele scan with two buffers, then added up; Long elements and Long indices. */
class PrefixSums {
    static SIZE = 256n;
    public static def main(args:Rail[String]) {
        val topo = PlaceTopology.getTopology();
        val gpu = topo.numChildren(here) == 0 ? here : topo.getChild(here, 0);
        val n = 100000;
        val data = new Rail[Long](n, (i:Long) => (i * 7919) % 1000);
        val blocks = ((n + SIZE - 1) / SIZE) as Int;
        val d = CUDAUtilities.makeGlobalRail(gpu, n, data);
        val sums = CUDAUtilities.makeGlobalRail[Long](gpu, blocks as Long);
        finish async at (gpu) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                val buffer = new Rail[Long](2 * SIZE, 0);
                clocked finish for (thread in 0n..(SIZE - 1n)) clocked async {
                    val i = (block as Long) * SIZE + thread;
                    var src:Int = 0n;
                    var out:Int = 1n;
                    buffer(thread) = i < n ? d(i) : 0;
                    Clock.advanceAll();
                    for (var offset:Int = 1n; offset < SIZE; offset <<= 1n) {
                        if (thread >= offset)
                            buffer(out * SIZE + thread) = buffer(src * SIZE + thread) + buffer(src * SIZE + thread - offset);
                        else
                            buffer(out * SIZE + thread) = buffer(src * SIZE + thread);
                        val t = src; src = out; out = t;
                        Clock.advanceAll();
                    }
                    if (i < n) d(i) = buffer(src * SIZE + thread);
                    if (thread == SIZE - 1n) sums(block) = buffer(src * SIZE + thread);
                }
            }
        }
        val s = new Rail[Long](blocks);
        finish Rail.asyncCopy(sums, 0, s, 0, s.size);
        for (i in 1..(blocks - 1)) s(i) += s(i - 1);
        finish async at (gpu) @CUDA {
            finish for (block in 0n..(blocks - 2n)) async {
                clocked finish for (thread in 0n..(SIZE - 1n)) clocked async {
                    val i = ((block + 1n) as Long) * SIZE + thread;
                    if (i < n) d(i) += s(block);
                }
            }
        }
        val got = new Rail[Long](n);
        finish Rail.asyncCopy(d, 0, got, 0, n);
        var run:Long = 0;
        var bad:Long = 0;
        for (i in 0..(n - 1)) { run += data(i); if (got(i) != run) bad++; }
        Console.OUT.println("scan " + (bad == 0 ? "ok" : "WRONG " + bad));
    }
}

/** Many small matrices: products of 4 by 4, and 6 by 6 systems solved with pivots, in stack rails. */
class SmallMatrices {
    public static def main(args:Rail[String]) {
        val topo = PlaceTopology.getTopology();
        val gpu = topo.numChildren(here) == 0 ? here : topo.getChild(here, 0);
        val m = 1000n;
        val a = new Rail[Float](m * 16, (i:Long) => ((i * 37) % 19) as Float);
        val b = new Rail[Float](m * 16, (i:Long) => ((i * 53) % 17) as Float);
        val da = CUDAUtilities.makeGlobalRail[Float](gpu, m * 16, a);
        val db = CUDAUtilities.makeGlobalRail[Float](gpu, m * 16, b);
        val dc = CUDAUtilities.makeGlobalRail[Float](gpu, m * 16);
        finish async at (gpu) @CUDA {
            finish for (block in 0n..((m + 63n) / 64n - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val id = block * 64n + thread;
                    if (id < m) {
                        @StackAllocate val x = @StackAllocate new Rail[Float](16);
                        @StackAllocate val y = @StackAllocate new Rail[Float](16);
                        for (i in 0n..15n) { x(i) = da(id * 16n + i); y(i) = db(id * 16n + i); }
                        for (i in 0n..3n)
                            for (j in 0n..3n) {
                                var s:Float = 0.0f;
                                for (k in 0n..3n) s += x(i * 4n + k) * y(k * 4n + j);
                                dc(id * 16n + i * 4n + j) = s;
                            }
                    }
                }
            }
        }
        val c = new Rail[Float](m * 16);
        finish Rail.asyncCopy(dc, 0, c, 0, c.size);
        var bad:Long = 0;
        for (id in 0..(m - 1)) for (i in 0..3) for (j in 0..3) {
            var s:Float = 0.0f;
            for (k in 0..3) s += a(id * 16 + i * 4 + k) * b(id * 16 + k * 4 + j);
            if (s != c(id * 16 + i * 4 + j)) bad++;
        }
        Console.OUT.println("products " + (bad == 0 ? "ok" : "WRONG " + bad));

        val N = 6n;
        val sys = new Rail[Double](m * N * N, (i:Long) => ((i * i + 3 * i) % 23) as Double - 11.0 + ((i % 36) % 7 == 0 ? 30.0 : 0.0));
        val rhs = new Rail[Double](m * N, (i:Long) => (i % 9) as Double);
        val sol = CUDAUtilities.makeGlobalRail[Double](gpu, m * N);
        finish async at (gpu) @CUDA {
            finish for (block in 0n..((m + 31n) / 32n - 1n)) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    val id = block * 32n + thread;
                    if (id < m) {
                        @StackAllocate val l = @StackAllocate new Rail[Double](36);
                        @StackAllocate val r = @StackAllocate new Rail[Double](6);
                        for (var i:Int = 0n; i < N * N; i++) l(i) = sys(id * N * N + i);
                        for (var i:Int = 0n; i < N; i++) r(i) = rhs(id * N + i);
                        for (var k:Int = 0n; k < N; k++) {
                            var p:Int = k;
                            for (var i:Int = k + 1n; i < N; i++) if (Math.abs(l(i * N + k)) > Math.abs(l(p * N + k))) p = i;
                            if (p != k) {
                                for (var j:Int = 0n; j < N; j++) { val t = l(k * N + j); l(k * N + j) = l(p * N + j); l(p * N + j) = t; }
                                val t = r(k); r(k) = r(p); r(p) = t;
                            }
                            for (var i:Int = k + 1n; i < N; i++) {
                                val f = l(i * N + k) / l(k * N + k);
                                for (var j:Int = k; j < N; j++) l(i * N + j) -= f * l(k * N + j);
                                r(i) -= f * r(k);
                            }
                        }
                        for (var i:Int = N - 1n; i >= 0n; i--) {
                            var s:Double = r(i);
                            for (var j:Int = i + 1n; j < N; j++) s -= l(i * N + j) * r(j);
                            r(i) = s / l(i * N + i);
                        }
                        for (var i:Int = 0n; i < N; i++) sol(id * N + i) = r(i);
                    }
                }
            }
        }
        val x = new Rail[Double](m * N);
        finish Rail.asyncCopy(sol, 0, x, 0, x.size);
        var worst:Double = 0.0;
        for (id in 0..(m - 1)) for (i in 0..5) {
            var s:Double = 0.0;
            for (j in 0..5) s += sys(id * 36 + i * 6 + j) * x(id * 6 + j);
            worst = Math.max(worst, Math.abs(s - rhs(id * 6 + i)));
        }
        Console.OUT.println("systems " + (worst < 1e-6 ? "ok" : "WRONG " + worst));
    }
}

/** Matrix product in tiles, constants as statics, sizes not multiples of the tile; transposition with a padded tile. */
class Tiles {
    private static val TILE = 16n;
    static val BLOCK_ROWS = 8n;
    public static def matmul(p:Place, a:GlobalRail[Float]{home==p}, b:GlobalRail[Float]{home==p}, c:GlobalRail[Float]{home==p}, m:Int, n:Int, k:Int) {
        val gx = (n + TILE - 1n) / TILE, gy = (m + TILE - 1n) / TILE;
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..(gy - 1n) * 0n..(gx - 1n)) async {
                val ta = new Rail[Float](TILE * TILE, 0.0f);
                val tb = new Rail[Float](TILE * TILE, 0.0f);
                clocked finish for ([ty, tx] in 0n..(TILE - 1n) * 0n..(TILE - 1n)) clocked async {
                    val row = by * TILE + ty;
                    val col = bx * TILE + tx;
                    var sum:Float = 0.0f;
                    for (var t:Int = 0n; t < (k + TILE - 1n) / TILE; t++) {
                        val ac = t * TILE + tx, br = t * TILE + ty;
                        ta(ty * TILE + tx) = (row < m && ac < k) ? a(row * k + ac) : 0.0f;
                        tb(ty * TILE + tx) = (br < k && col < n) ? b(br * n + col) : 0.0f;
                        Clock.advanceAll();
                        for (var i:Int = 0n; i < TILE; i++)
                            sum += ta(ty * TILE + i) * tb(i * TILE + tx);
                        Clock.advanceAll();
                    }
                    if (row < m && col < n) c(row * n + col) = sum;
                }
            }
        }
    }
    public static def transpose(p:Place, w:Int, h:Int, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((h + 31n) / 32n - 1n) * 0n..((w + 31n) / 32n - 1n)) async {
                val tile = new Rail[Float](32n * 33n);
                clocked finish for ([ty, tx] in 0n..(BLOCK_ROWS - 1n) * 0n..31n) clocked async {
                    var x:Int = (bx * 32n + tx) as Int;
                    var y:Int = (by * 32n + ty) as Int;
                    for (var j:Int = 0n; j < 32n; j += BLOCK_ROWS)
                        if (x < w && y + j < h) tile((ty + j) * 33n + tx) = from((y + j) * w + x);
                    Clock.advanceAll();
                    x = (by * 32n + tx) as Int;
                    y = (bx * 32n + ty) as Int;
                    for (var j:Int = 0n; j < 32n; j += BLOCK_ROWS)
                        if (x < h && y + j < w) to((y + j) * h + x) = tile(tx * 33n + ty + j);
                }
            }
        }
    }
    public static def main(args:Rail[String]) {
        val topo = PlaceTopology.getTopology();
        val gpu = topo.numChildren(here) == 0 ? here : topo.getChild(here, 0);
        val m = 70n, n = 90n, k = 50n;
        val a = new Rail[Float](m * k, (i:Long) => (i % 7) as Float);
        val b = new Rail[Float](k * n, (i:Long) => (i % 5) as Float);
        val da = CUDAUtilities.makeGlobalRail(gpu, m * k, a);
        val db = CUDAUtilities.makeGlobalRail(gpu, k * n, b);
        val dc = CUDAUtilities.makeGlobalRail[Float](gpu, m * n);
        matmul(gpu, da, db, dc, m, n, k);
        val c = new Rail[Float](m * n);
        finish Rail.asyncCopy(dc, 0, c, 0, c.size);
        var bad:Long = 0;
        for (i in 0..(m - 1)) for (j in 0..(n - 1)) {
            var s:Float = 0;
            for (l in 0..(k - 1)) s += a(i * k + l) * b(l * n + j);
            if (s != c(i * n + j)) bad++;
        }
        Console.OUT.println("matmul " + (bad == 0 ? "ok" : "WRONG " + bad));
        val dt = CUDAUtilities.makeGlobalRail[Float](gpu, m * n);
        transpose(gpu, n, m, dc, dt);
        val t = new Rail[Float](m * n);
        finish Rail.asyncCopy(dt, 0, t, 0, t.size);
        bad = 0;
        for (i in 0..(m - 1)) for (j in 0..(n - 1)) if (t(j * m + i) != c(i * n + j)) bad++;
        Console.OUT.println("transpose " + (bad == 0 ? "ok" : "WRONG " + bad));
    }
}

/** LU without pivots: a launch a column for the factors and one for the rest. Cholesky in one block. */
class Factors {
    static N = 64n;
    public static def main(args:Rail[String]) {
        val topo = PlaceTopology.getTopology();
        val gpu = topo.numChildren(here) == 0 ? here : topo.getChild(here, 0);
        val n = N;
        val a = new Rail[Double](n * n, (i:Long) => i / n == i % n ? 100.0 + i % 7 : ((i * 13) % 11) as Double);
        val d = CUDAUtilities.makeGlobalRail[Double](gpu, n * n, a);
        for (k in 0n..(n - 2n)) {
            val rest = n - k - 1n;
            finish async at (gpu) @CUDA {
                finish for (b in 0n..((rest - 1n) / 32n)) async {
                    clocked finish for (t in 0n..31n) clocked async {
                        val i = k + 1n + b * 32n + t;
                        if (i < n) d(i * n + k) /= d(k * n + k);
                    }
                }
            }
            finish async at (gpu) @CUDA {
                finish for ([bi, bj] in 0n..((rest - 1n) / 8n) * 0n..((rest - 1n) / 8n)) async {
                    clocked finish for ([ti, tj] in 0n..7n * 0n..7n) clocked async {
                        val i = k + 1 + bi * 8 + ti;
                        val j = k + 1 + bj * 8 + tj;
                        if (i < n && j < n)
                            d(i * n + j) -= d(i * n + k) * d(k * n + j);
                    }
                }
            }
        }
        val lu = new Rail[Double](n * n);
        finish Rail.asyncCopy(d, 0, lu, 0, lu.size);
        var worst:Double = 0;
        for (i in 0..(n - 1)) for (j in 0..(n - 1)) {
            var s:Double = 0;
            for (k in 0..Math.min(i, j)) s += (k == i ? 1.0 : lu(i * n + k)) * lu(k * n + j);
            worst = Math.max(worst, Math.abs(s - a(i * n + j)));
        }
        Console.OUT.println("lu " + (worst < 1e-9 ? "ok" : "WRONG " + worst));

        val sym = new Rail[Double](n * n, (i:Long) => i / n == i % n ? 100.0 : 1.0 / (1 + i / n + i % n));
        val c = CUDAUtilities.makeGlobalRail[Double](gpu, n * n, sym);
        finish async at (gpu) @CUDA {
            finish for (block in 0n..0n) async {
                val m = new Rail[Double](N * N, 0.0);
                clocked finish for (t in 0n..(N - 1n)) clocked async {
                    for (j in 0n..(N - 1n)) m(t * N + j) = c(t * N + j);
                    Clock.advanceAll();
                    for (k in 0n..(N - 1n)) {
                        if (t == k) m(k * N + k) = Math.sqrt(m(k * N + k));
                        Clock.advanceAll();
                        if (t > k) m(t * N + k) /= m(k * N + k);
                        Clock.advanceAll();
                        if (t > k)
                            for (j in (k + 1n)..t) m(t * N + j) -= m(t * N + k) * m(j * N + k);
                        Clock.advanceAll();
                    }
                    for (j in 0n..(N - 1n)) c(t * N + j) = j <= t ? m(t * N + j) : 0.0;
                }
            }
        }
        val l = new Rail[Double](n * n);
        finish Rail.asyncCopy(c, 0, l, 0, l.size);
        worst = 0;
        for (i in 0..(n - 1)) for (j in 0..(n - 1)) {
            var s:Double = 0;
            for (k in 0..(n - 1)) s += l(i * n + k) * l(j * n + k);
            worst = Math.max(worst, Math.abs(s - sym(i * n + j)));
        }
        Console.OUT.println("cholesky " + (worst < 1e-9 ? "ok" : "WRONG " + worst));
    }
}

/** Three axes: heat in a box with nested ranges; D2Q9 lattice; N-queens counting by depth; random walks. */
class Boxes {
    public static def main(args:Rail[String]) {
        val topo = PlaceTopology.getTopology();
        val gpu = topo.numChildren(here) == 0 ? here : topo.getChild(here, 0);
        val nx = 20n, ny = 24n, nz = 12n;
        val u = new Rail[Float](nx * ny * nz, (i:Long) => (i % 17) as Float);
        val du = CUDAUtilities.makeGlobalRail[Float](gpu, u.size, u);
        val dv = CUDAUtilities.makeGlobalRail[Float](gpu, u.size);
        finish async at (gpu) @CUDA {
            finish for ([bz, by, bx] in 0n..(nz / 4n - 1n) * 0n..(ny / 4n - 1n) * 0n..(nx / 4n - 1n)) async {
                clocked finish for ([tz, ty, tx] in 0n..3n * 0n..3n * 0n..3n) clocked async {
                    val x = bx * 4 + tx, y = by * 4 + ty, z = bz * 4 + tz;
                    val i = (z * ny + y) * nx + x;
                    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
                        dv(i) = (du(i - 1) + du(i + 1) + du(i - nx) + du(i + nx) + du(i - nx * ny) + du(i + nx * ny)) / 6.0f;
                    else
                        dv(i) = du(i);
                }
            }
        }
        val v = new Rail[Float](u.size);
        finish Rail.asyncCopy(dv, 0, v, 0, v.size);
        var bad:Long = 0;
        for (z in 0n..(nz - 1n)) for (y in 0n..(ny - 1n)) for (x in 0n..(nx - 1n)) {
            val i = (z * ny + y) * nx + x;
            val e = x > 0n && x < nx - 1n && y > 0n && y < ny - 1n && z > 0n && z < nz - 1n
                ? (u(i - 1) + u(i + 1) + u(i - nx) + u(i + nx) + u(i - nx * ny) + u(i + nx * ny)) / 6.0f : u(i);
            if (Math.abs(e - v(i)) > 1e-4f) bad++;
        }
        Console.OUT.println("box " + (bad == 0 ? "ok" : "WRONG " + bad));

        // queens: each thread places the first two, then continues without recursion
        val N = 8n;
        val count = CUDAUtilities.makeGlobalRail[Int](gpu, 1);
        finish async at (gpu) @CUDA {
            finish for (a in 0n..(N - 1n)) async {
                clocked finish for (b in 0n..(N - 1n)) clocked async {
                    if (a - b > 1n || b - a > 1n) {
                        @StackAllocate val pos = @StackAllocate new Rail[Int](8);
                        pos(0) = a; pos(1) = b;
                        var row:Int = 2n;
                        pos(2) = -1n;
                        var found:Int = 0n;
                        while (row >= 2n) {
                            pos(row) = pos(row) + 1n;
                            if (pos(row) >= N) { row--; continue; }
                            var free:Boolean = true;
                            for (var r:Int = 0n; r < row; r++) {
                                val dc = pos(row) - pos(r);
                                if (dc == 0n || dc == row - r || dc == r - row) { free = false; break; }
                            }
                            if (!free) continue;
                            if (row == N - 1n) { found++; } else { row++; pos(row) = -1n; }
                        }
                        CUDAAtomic.add(count, 0, found);
                    }
                }
            }
        }
        val c = new Rail[Int](1);
        finish Rail.asyncCopy(count, 0, c, 0, 1);
        Console.OUT.println("queens " + (c(0) == 92n ? "ok" : "WRONG " + c(0)));

        // random walks, LCG
        val walks = 500n, steps = 100n;
        val ends = CUDAUtilities.makeGlobalRail[Long](gpu, walks);
        finish async at (gpu) @CUDA {
            val threads = CUDAUtilities.autoThreads();
            val blocks = CUDAUtilities.autoBlocks();
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    val first = block * threads + thread;
                    for (var i:Int = first; i < walks; i += blocks * threads) {
                        var s:Long = i;
                        var at1:Long = 0;
                        for (k in 1n..steps) {
                            s = (s * 6364136223846793005 + 1442695040888963407);
                            switch (((s >> 33) & 3) as Int) {
                                case 0n: at1 += 1; break;
                                case 1n: at1 -= 1; break;
                                case 2n: at1 += 1000; break;
                                default: at1 -= 1000;
                            }
                        }
                        ends(i) = at1;
                    }
                }
            }
        }
        val got = new Rail[Long](walks);
        finish Rail.asyncCopy(ends, 0, got, 0, got.size);
        bad = 0;
        for (i in 0..(walks - 1)) {
            var s:Long = i, at1:Long = 0;
            for (k in 1..steps) {
                s = (s * 6364136223846793005 + 1442695040888963407);
                val q = (s >> 33) & 3;
                at1 += q == 0 ? 1 : q == 1 ? -1 : q == 2 ? 1000 : -1000;
            }
            if (at1 != got(i)) bad++;
        }
        Console.OUT.println("walks " + (bad == 0 ? "ok" : "WRONG " + bad));
    }
}

/** Pi by Monte Carlo: xorshift in ULong and an LCG in UInt, a tree in shared memory. */
class Pi {
    @CUDA static def mix(var x:ULong):ULong {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        return x;
    }
    public static def main(args:Rail[String]) {
        val topo = PlaceTopology.getTopology();
        val gpu = topo.numChildren(here) == 0 ? here : topo.getChild(here, 0);
        val blocks = 16n, threads = 128n;
        val tries = 1000n;
        val counts = CUDAUtilities.makeGlobalRail[Long](gpu, blocks);
        val total = CUDAUtilities.makeGlobalRail[ULong](gpu, 1);
        finish async at (gpu) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                val part = new Rail[Long](threads, 0);
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    var state:ULong = (block * threads + thread + 1n) as ULong * 0x9E3779B97F4A7C15ul;
                    var hits:Long = 0;
                    for (i in 1n..tries) {
                        state = mix(state);
                        val x = ((state * 2685821657736338717ul) >> 11) as Double / (1L << 53);
                        state = mix(state);
                        val y = ((state * 2685821657736338717ul) >> 11) as Double / (1L << 53);
                        if (x * x + y * y < 1.0) hits++;
                    }
                    part(thread) = hits;
                    Clock.advanceAll();
                    var s:Int = threads / 2n;
                    while (s > 0n) {
                        if (thread < s) part(thread) += part(thread + s);
                        Clock.advanceAll();
                        s = s / 2n;
                    }
                    if (thread == 0n) {
                        counts(block) = part(0);
                        CUDAAtomic.add(total, 0, part(0) as ULong);
                    }
                }
            }
        }
        var expected:Long = 0;
        for (id in 0n..(blocks * threads - 1n)) {
            var state:ULong = (id + 1n) as ULong * 0x9E3779B97F4A7C15ul;
            for (i in 1n..tries) {
                state = mix(state);
                val x = ((state * 2685821657736338717ul) >> 11) as Double / (1L << 53);
                state = mix(state);
                val y = ((state * 2685821657736338717ul) >> 11) as Double / (1L << 53);
                if (x * x + y * y < 1.0) expected++;
            }
        }
        val c = new Rail[Long](blocks);
        finish Rail.asyncCopy(counts, 0, c, 0, c.size);
        val t = new Rail[ULong](1);
        finish Rail.asyncCopy(total, 0, t, 0, 1);
        val sum = RailUtils.reduce(c, (a:Long, b:Long) => a + b, 0);
        Console.OUT.println("pi " + (sum == expected && t(0) as Long == expected ? "ok " : "WRONG"));
    }
}

/** Sorting: bitonic in shared memory, radix by counting and scattering. */
class Sorting {
    public static def main(args:Rail[String]) {
        val topo = PlaceTopology.getTopology();
        val gpu = topo.numChildren(here) == 0 ? here : topo.getChild(here, 0);
        val n = 512n;
        val rnd = new Random(11);
        val keys = new Rail[Int](n, (Long) => rnd.nextInt());
        val d = CUDAUtilities.makeGlobalRail[Int](gpu, n, keys);
        finish async at (gpu) @CUDA {
            finish for (block in 0n..0n) async {
                val s = new Rail[Int](512, 0n);
                clocked finish for (t in 0n..511n) clocked async {
                    s(t) = d(t);
                    Clock.advanceAll();
                    for (var k:Int = 2n; k <= 512n; k <<= 1) {
                        for (var j:Int = k >> 1; j > 0n; j >>= 1) {
                            val other = t ^ j;
                            if (other > t) {
                                if ((t & k) == 0n) {
                                    if (s(t) > s(other)) { val x = s(t); s(t) = s(other); s(other) = x; }
                                } else {
                                    if (s(t) < s(other)) { val x = s(t); s(t) = s(other); s(other) = x; }
                                }
                            }
                            Clock.advanceAll();
                        }
                    }
                    d(t) = s(t);
                }
            }
        }
        val r = new Rail[Int](n);
        finish Rail.asyncCopy(d, 0, r, 0, r.size);
        val sorted = new Rail[Int](keys);
        RailUtils.sort(sorted);
        var bad:Long = 0;
        for (i in r.range) if (r(i) != sorted(i)) bad++;
        Console.OUT.println("bitonic " + (bad == 0 ? "ok" : "WRONG " + bad));

        // radix: 4 bits at a time, one block of 256 threads, a part of the keys for each thread
        val m = 4096n;
        val data = new Rail[UInt](m, (Long) => rnd.nextInt() as UInt);
        var a:GlobalRail[UInt] = CUDAUtilities.makeGlobalRail[UInt](gpu, m, data);
        var b:GlobalRail[UInt] = CUDAUtilities.makeGlobalRail[UInt](gpu, m);
        for (var shift:Int = 0n; shift < 32n; shift += 4n) {
            val from = a, to = b, sh = shift;
            finish async at (gpu) @CUDA {
                finish for (block in 0n..0n) async {
                    val counts = new Rail[Int](16 * 64, 0n);
                    clocked finish for (t in 0n..63n) clocked async {
                        val per = m / 64n;
                        for (i in (t * per)..((t + 1n) * per - 1n)) {
                            val digit = ((from(i) >> sh) & 15un) as Int;
                            counts(digit * 64n + t)++;
                        }
                        Clock.advanceAll();
                        if (t == 0n) {
                            var sum:Int = 0n;
                            for (var i:Int = 0n; i < 1024n; i++) {
                                val c = counts(i);
                                counts(i) = sum;
                                sum += c;
                            }
                        }
                        Clock.advanceAll();
                        for (i in (t * per)..((t + 1n) * per - 1n)) {
                            val key = from(i);
                            val digit = ((key >> sh) & 15un) as Int;
                            val pos = counts(digit * 64n + t)++;
                            to(pos) = key;
                        }
                    }
                }
            }
            val tmp = a; a = b; b = tmp;
        }
        val got = new Rail[UInt](m);
        finish Rail.asyncCopy(a, 0, got, 0, got.size);
        bad = 0;
        for (i in 1..(m - 1)) if (got(i - 1) > got(i)) bad++;
        Console.OUT.println("radix " + (bad == 0 ? "ok" : "WRONG " + bad));
    }
}
