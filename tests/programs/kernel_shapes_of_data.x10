// without: thread
// Threads read plainly what others change by an atomic operation, before they try it themselves.
import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.compiler.Unroll;
import x10.util.*;

/** Data of many shapes: tiles with halos, structs, sparse rows, graphs, bytes, bits, each beside a plain loop. */
public class kernel_shapes_of_data {
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
    static def close(a:Rail[Float], b:Rail[Float]):Boolean {
        for (i in a.range) if (Math.abs(a(i) - b(i)) > 1e-4f * (1.0f + Math.abs(b(i)))) { Console.OUT.println("  at " + i + ": " + a(i) + " not " + b(i)); return false; }
        return true;
    }

    /** Convolution of rows: constant weights, an apron in shared memory, whose size is known at launch only. */
    static def convolution(p:Place, radius:Int) {
        val w = 200n, h = 7n, width = 64n;
        val kernel = new Rail[Float](2 * radius + 1, (i:Long) => 1.0f / (1 + i));
        val image = new Rail[Float](w * h, (i:Long) => ((i * 13) % 29) as Float);
        val d = CUDAUtilities.makeGlobalRail[Float](p, w * h, image);
        val o = CUDAUtilities.makeGlobalRail[Float](p, w * h);
        finish async at (p) @CUDA {
            val k = CUDAConstantRail(kernel);
            finish for ([y, bx] in (0n..(h - 1n)) * (0n..((w + width - 1n) / width - 1n))) async {
                val s = new Rail[Float](width + 2 * radius);
                clocked finish for (t in 0n..(width - 1n)) clocked async {
                    val first = (bx as Int) * width - radius;
                    for (var i:Int = t; i < width + 2n * radius; i += width) {
                        val x = first + i;
                        s(i) = x >= 0n && x < w ? d((y as Int) * w + x) : 0.0f;
                    }
                    Clock.advanceAll();
                    val x = (bx as Int) * width + t;
                    if (x < w) {
                        var sum:Float = 0.0f;
                        for (var j:Int = 0n; j <= 2n * radius; j++) sum += k(j) * s(t + j);
                        o((y as Int) * w + x) = sum;
                    }
                }
            }
        }
        val want = new Rail[Float](w * h);
        for (y in 0n..(h - 1n)) for (x in 0n..(w - 1n)) {
            var sum:Float = 0.0f;
            for (j in 0n..(2n * radius)) { val u = x + j - radius; if (u >= 0n && u < w) sum += kernel(j) * image(y * w + u); }
            want(y * w + x) = sum;
        }
        say("convolution of radius " + radius, close(fetch(o), want));
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(o);
    }

    /** Three axes of blocks and threads with a halo. */
    static def laplace(p:Place) {
        val nx = 20n, ny = 13n, nz = 9n;
        val data = new Rail[Double](nx * ny * nz, (i:Long) => ((i * 31) % 101) as Double);
        val a = CUDAUtilities.makeGlobalRail[Double](p, nx * ny * nz, data);
        val b = CUDAUtilities.makeGlobalRail[Double](p, nx * ny * nz);
        val gx = (nx + 7n) / 8n, gy = (ny + 3n) / 4n, gz = (nz + 1n) / 2n;
        finish async at (p) @CUDA {
            finish for ([bz, by, bx] in (0n..(gz - 1n)) * (0n..(gy - 1n)) * (0n..(gx - 1n))) async {
                val s = new Rail[Double](10 * 6 * 4);
                clocked finish for ([tz, ty, tx] in (0n..1n) * (0n..3n) * (0n..7n)) clocked async {
                    val x = bx * 8 + tx, y = by * 4 + ty, z = bz * 2 + tz;
                    val c = ((tz + 1) * 6 + ty + 1) * 10 + tx + 1;
                    val inside = x < nx && y < ny && z < nz;
                    val i = (z * ny + y) * nx + x;
                    if (inside) {
                        s(c) = a(i);
                        if (tx == 0) s(c - 1) = x > 0 ? a(i - 1) : 0.0;
                        if (tx == 7 || x == (nx - 1) as Long) s(c + 1) = x < nx - 1n ? a(i + 1) : 0.0;
                        if (ty == 0) s(c - 10) = y > 0 ? a(i - nx) : 0.0;
                        if (ty == 3 || y == (ny - 1) as Long) s(c + 10) = y < ny - 1n ? a(i + nx) : 0.0;
                        if (tz == 0) s(c - 60) = z > 0 ? a(i - nx * ny) : 0.0;
                        if (tz == 1 || z == (nz - 1) as Long) s(c + 60) = z < nz - 1n ? a(i + nx * ny) : 0.0;
                    }
                    Clock.advanceAll();
                    if (inside) b(i) = s(c - 1) + s(c + 1) + s(c - 10) + s(c + 10) + s(c - 60) + s(c + 60) - 6.0 * s(c);
                }
            }
        }
        val want = new Rail[Double](nx * ny * nz);
        val g = (x:Int, y:Int, z:Int) => x < 0n || y < 0n || z < 0n || x >= nx || y >= ny || z >= nz ? 0.0 : data((z * ny + y) * nx + x);
        for (z in 0n..(nz - 1n)) for (y in 0n..(ny - 1n)) for (x in 0n..(nx - 1n))
            want((z * ny + y) * nx + x) = g(x - 1n, y, z) + g(x + 1n, y, z) + g(x, y - 1n, z) + g(x, y + 1n, z) + g(x, y, z - 1n) + g(x, y, z + 1n) - 6.0 * g(x, y, z);
        say("laplace", same(fetch(b), want));
        CUDAUtilities.deleteGlobalRail(a); CUDAUtilities.deleteGlobalRail(b);
    }

    static struct Body(x:Float, y:Float, z:Float, m:Float) { }
    static struct Force(x:Float, y:Float, z:Float) {
        @CUDA operator this + (that:Force) = Force(x + that.x, y + that.y, z + that.z);
    }
    @CUDA static def pull(a:Body, b:Body):Force {
        val dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
        val d = dx * dx + dy * dy + dz * dz + 0.01f;
        val i = b.m / (d * Math.sqrtf(d));
        return Force(dx * i, dy * i, dz * i);
    }
    /** N bodies as structs, tiles of structs in shared memory, a struct as accumulator. */
    static def bodies(p:Place) {
        val n = 200n;
        val all = new Rail[Body](n, (i:Long) => Body((i % 7) as Float, (i % 11) as Float, (i % 13) as Float, 1.0f + i % 3));
        val d = CUDAUtilities.makeGlobalRail[Body](p, n, all);
        val o = CUDAUtilities.makeGlobalRail[Force](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 63n) / 64n - 1n)) async {
                val tile = new Rail[Body](64);
                clocked finish for (t in 0n..63n) clocked async {
                    val i = block * 64n + t;
                    val me = i < n ? d(i) : Body(0.0f, 0.0f, 0.0f, 0.0f);
                    var sum:Force = Force(0.0f, 0.0f, 0.0f);
                    for (var first:Int = 0n; first < n; first += 64n) {
                        tile(t) = first + t < n ? d(first + t) : Body(0.0f, 0.0f, 0.0f, 0.0f);
                        Clock.advanceAll();
                        for (k in 0n..63n) sum = sum + pull(me, tile(k));
                        Clock.advanceAll();
                    }
                    if (i < n) o(i) = sum;
                }
            }
        }
        val r = fetch(o);
        var ok:Boolean = true;
        for (i in 0..(n - 1)) {
            var s:Force = Force(0.0f, 0.0f, 0.0f);
            for (k in 0..(n - 1)) s = s + pull(all(i), all(k));
            ok &= Math.abs(s.x - r(i).x) < 1e-3f * (1.0f + Math.abs(s.x)) && Math.abs(s.z - r(i).z) < 1e-3f * (1.0f + Math.abs(s.z));
        }
        say("bodies", ok);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(o);
    }

    /** Sparse rows, a thread a row. */
    static def csr(p:Place) {
        val n = 500n;
        val starts = new Rail[Int](n + 1n);
        for (i in 0n..(n - 1n)) starts(i + 1n) = starts(i) + i % 7n;
        val entries = starts(n);
        val cols = new Rail[Int](entries, (i:Long) => ((i * 37) % n) as Int), vals = new Rail[Double](entries, (i:Long) => (i % 5) as Double);
        val x = new Rail[Double](n, (i:Long) => (i % 9) as Double);
        val y = CUDAUtilities.makeGlobalRail[Double](p, n);
        // All captured by copy.
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 127n) / 128n - 1n)) async {
                clocked finish for (t in 0n..127n) clocked async {
                    val row = block * 128n + t;
                    if (row < n) {
                        var s:Double = 0.0;
                        for (var j:Int = starts(row); j < starts(row + 1n); ++j) s += vals(j) * x(cols(j));
                        y(row) = s;
                    }
                }
            }
        }
        val want = new Rail[Double](n);
        for (r in 0..(n - 1)) for (var j:Int = starts(r); j < starts(r + 1); ++j) want(r) += vals(j) * x(cols(j));
        say("sparse rows", same(fetch(y), want));
        CUDAUtilities.deleteGlobalRail(y);
    }

    /** Breadth-first search: a frontier with a queue that grows by atomics. */
    static def bfs(p:Place) {
        val n = 1000n, degree = 4n;
        val edges = new Rail[Int](n * degree, (i:Long) => ((i * 7919 + i / 4 * 31) % n) as Int);
        val e = CUDAUtilities.makeGlobalRail[Int](p, n * degree, edges);
        val level = CUDAUtilities.makeGlobalRail[Int](p, n, (i:Long) => i == 0 ? 0n : -1n);
        var now:GlobalRail[Int]{self.home()==p} = CUDAUtilities.makeGlobalRail[Int](p, n);
        var later:GlobalRail[Int]{self.home()==p} = CUDAUtilities.makeGlobalRail[Int](p, n);
        val size = CUDAUtilities.makeGlobalRail[Int](p, 1);
        var count:Int = 1n; var depth:Int = 0n;
        while (count > 0n) {
            val from = now, to = later, many = count, next = depth + 1n;
            finish Rail.asyncCopy(new Rail[Int](1), 0, size, 0, 1);
            finish async at (p) @CUDA {
                finish for (block in 0n..((many + 63n) / 64n - 1n)) async {
                    clocked finish for (t in 0n..63n) clocked async {
                        val i = block * 64n + t;
                        if (i < many) {
                            val v = from(i);
                            for (k in 0n..(degree - 1n)) {
                                val u = e(v * degree + k);
                                if (level(u) == -1n && CUDAAtomic.cas(level, u, -1n, next) == -1n) to(CUDAAtomic.add(size, 0, 1n)) = u;
                            }
                        }
                    }
                }
            }
            count = fetch(size)(0); depth = next; now = to; later = from;
        }
        val want = new Rail[Int](n, -1n); want(0) = 0n;
        val queue = new ArrayList[Int](); queue.add(0n);
        for (var i:Long = 0; i < queue.size(); i++) for (k in 0n..(degree - 1n)) { val u = edges(queue(i) * degree + k); if (want(u) < 0n) { want(u) = want(queue(i)) + 1n; queue.add(u); } }
        say("breadth first", same(fetch(level), want));
        CUDAUtilities.deleteGlobalRail(e); CUDAUtilities.deleteGlobalRail(level); CUDAUtilities.deleteGlobalRail(now); CUDAUtilities.deleteGlobalRail(later); CUDAUtilities.deleteGlobalRail(size);
    }

    /** Search for a word in bytes, matches counted and the first one found. */
    static def search(p:Place) {
        val text = new Rail[Byte](5000, (i:Long) => ('a'.ord() + (i * i + i / 3) % 3) as Byte);
        val word = new Rail[Byte](4, (i:Long) => text(4321 + i));
        val d = CUDAUtilities.makeGlobalRail[Byte](p, text.size, text);
        val found = CUDAUtilities.makeGlobalRail[Int](p, 2, (i:Long) => i == 0 ? 0n : Int.MAX_VALUE);
        val n = text.size as Int, m = word.size as Int;
        finish async at (p) @CUDA {
            val w = CUDAConstantRail(word);
            finish for (block in 0n..9n) async {
                clocked finish for (t in 0n..95n) clocked async {
                    for (var i:Int = block * 96n + t; i <= n - m; i += 960n) {
                        var j:Int = 0n;
                        while (j < m && d(i + j) == w(j)) j++;
                        if (j == m) { CUDAAtomic.add(found, 0, 1n); CUDAAtomic.min(found, 1, i); }
                    }
                }
            }
        }
        var count:Int = 0n, first:Int = -1n;
        for (i in 0n..(n - m)) { var eq:Boolean = true; for (j in 0n..(m - 1n)) eq &= text(i + j) == word(j); if (eq) { count++; if (first < 0n) first = i; } }
        val r = fetch(found);
        say("search", r(0) == count && r(1) == first);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(found);
    }

    /** Lattice Boltzmann, nine directions, a struct of arrays, weights in tables of constants on the stack. */
    static def lattice(p:Place) {
        val w = 24n, h = 16n, n = w * h;
        val start = new Rail[Float](9 * n, (i:Long) => 0.1f + 0.01f * (i % 17));
        val a = CUDAUtilities.makeGlobalRail[Float](p, 9 * n, start), b = CUDAUtilities.makeGlobalRail[Float](p, 9 * n);
        finish async at (p) @CUDA {
            finish for ([by, bx] in (0n..1n) * (0n..2n)) async {
                clocked finish for ([ty, tx] in (0n..7n) * (0n..7n)) clocked async {
                    @StackAllocate val f = new Rail[Float](9);
                    val x = (bx * 8 + tx) as Int, y = (by * 8 + ty) as Int;
                    var rho:Float = 0.0f; var ux:Float = 0.0f; var uy:Float = 0.0f;
                    @Unroll(9) for (q in 0n..8n) {
                        val cx = q % 3n - 1n, cy = q / 3n - 1n;
                        f(q) = a(q * n + ((y - cy + h) % h) * w + (x - cx + w) % w);
                        rho += f(q); ux += cx * f(q); uy += cy * f(q);
                    }
                    ux /= rho; uy /= rho;
                    val square = 1.5f * (ux * ux + uy * uy);
                    for (q in 0n..8n) {
                        val cx = q % 3n - 1n, cy = q / 3n - 1n;
                        val weight = cx == 0n && cy == 0n ? 4.0f / 9 : cx == 0n || cy == 0n ? 1.0f / 9 : 1.0f / 36;
                        val cu = 3.0f * (cx * ux + cy * uy);
                        val eq = weight * rho * (1.0f + cu + 0.5f * cu * cu - square);
                        b(q * n + y * w + x) = f(q) + (eq - f(q)) / 0.6f;
                    }
                }
            }
        }
        val r = fetch(b);
        var before:Float = 0.0f, after:Float = 0.0f; for (v in start) before += v; for (v in r) after += v;
        say("lattice", Math.abs(before - after) < 1e-3f * before);
        CUDAUtilities.deleteGlobalRail(a); CUDAUtilities.deleteGlobalRail(b);
    }

    /** Array of structs to struct of arrays, and back, with nested ranges. */
    static struct Particle(id:Int, flag:Boolean, mass:Double, kind:Byte) { }
    static def layouts(p:Place) {
        val n = 300n;
        val parts = new Rail[Particle](n, (i:Long) => Particle(i as Int, i % 3 == 0, i * 0.5, (i % 100) as Byte));
        val d = CUDAUtilities.makeGlobalRail[Particle](p, n, parts), back = CUDAUtilities.makeGlobalRail[Particle](p, n);
        val id = CUDAUtilities.makeGlobalRail[Int](p, n), flag = CUDAUtilities.makeGlobalRail[Boolean](p, n), mass = CUDAUtilities.makeGlobalRail[Double](p, n), kinds = CUDAUtilities.makeGlobalRail[Byte](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 31n) / 32n - 1n)) async {
                clocked finish for (t in 0n..31n) clocked async {
                    val i = block * 32n + t;
                    if (i < n) { val it = d(i); id(i) = it.id; flag(i) = it.flag; mass(i) = it.mass; kinds(i) = it.kind; }
                }
            }
        }
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 31n) / 32n - 1n)) async {
                clocked finish for (t in 0n..31n) clocked async {
                    val i = block * 32n + t;
                    if (i < n) back(i) = Particle(id(i), flag(i), mass(i), kinds(i));
                }
            }
        }
        say("layouts", same(fetch(back), parts));
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(back); CUDAUtilities.deleteGlobalRail(id); CUDAUtilities.deleteGlobalRail(flag); CUDAUtilities.deleteGlobalRail(mass); CUDAUtilities.deleteGlobalRail(kinds);
    }

    /** Auto configuration with loops over a grid. */
    static def auto(p:Place) {
        val n = 70001n;
        val x = CUDAUtilities.makeGlobalRail[Float](p, n, (i:Long) => i as Float), y = CUDAUtilities.makeGlobalRail[Float](p, n, (i:Long) => 1.0f);
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks(), threads = CUDAUtilities.autoThreads();
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    for (var i:Int = block * threads + thread; i < n; i += blocks * threads) y(i) = 2.0f * x(i) + y(i);
                }
            }
        }
        say("auto", same(fetch(y), new Rail[Float](n, (i:Long) => 2.0f * i + 1.0f)));
        CUDAUtilities.deleteGlobalRail(x); CUDAUtilities.deleteGlobalRail(y);
    }

    /** Unsigned hashes, 64 bits, with rotations and a rail of bits. */
    @CUDA static def mix(h:ULong):ULong { var x:ULong = h; x ^= x >> 33; x *= 0xff51afd7ed558ccdul; x ^= x >> 29; return x; }
    static def bloom(p:Place) {
        val n = 2000n, bits = 1n << 14n;
        val filter = CUDAUtilities.makeGlobalRail[UInt](p, bits / 32n);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 255n) / 256n - 1n)) async {
                clocked finish for (t in 0n..255n) clocked async {
                    val i = block * 256n + t;
                    if (i < n) for (k in 0n..2n) {
                        val h = (mix((i as ULong) * 3ul + (k as ULong)) & ((bits - 1n) as ULong)) as Int;
                        CUDAAtomic.or(filter, (h >> 5n) as Long, 1un << (h & 31n));
                    }
                }
            }
        }
        val want = new Rail[UInt](bits / 32n);
        for (i in 0n..(n - 1n)) for (k in 0n..2n) { val h = (mix((i as ULong) * 3ul + (k as ULong)) & ((bits - 1n) as ULong)) as Int; want(h >> 5n) |= 1un << (h & 31n); }
        say("bloom filter", same(fetch(filter), want));
        CUDAUtilities.deleteGlobalRail(filter);
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        convolution(p, 1n); convolution(p, 9n); laplace(p); bodies(p); csr(p); bfs(p); search(p); lattice(p); layouts(p); auto(p); bloom(p);
    }
}
