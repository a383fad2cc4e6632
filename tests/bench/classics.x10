import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.ArrayList;
import x10.util.CUDAAtomic;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/**
 * Kernels that one writes first, beside those of cuda/classics.cu, the same algorithms and launches: medians of 21 launches and waits, in
 * milliseconds, and a sum over the results. Argument: small, to try it, or cpu, to measure it on a CPU.
 */
public class classics {
    static TILE = 16n;
    static ROWS = 8n;
    static BINS = 256n;

    static def floats(p:Place, n:Long, seed:Long) = CUDAUtilities.makeGlobalRail[Float](p, n, new Rail[Float](n, (i:Long)=>((i * seed) % 1000) as Float * 0.001f));

    static def measure(name:String, sum:()=>Double, run:()=>void) {
        for (i in 1..3) run();
        val times = new ArrayList[Long]();
        for (i in 1..21) {
            val start = System.nanoTime();
            run();
            times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("%s: median %.4f ms, sum %.6e\n", name, times(10) / 1.0E6, sum());
    }

    static def sum[T](remote:GlobalRail[T], value:(T)=>Double){T haszero}:Double {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        var all:Double = 0.0;
        for (element in rail) all += value(element);
        return all;
    }

    /** Row-major matrices in tiles, any size. */
    static def multiply(p:Place, m:Int, n:Int, k:Int, a:GlobalRail[Float]{home==p}, b:GlobalRail[Float]{home==p}, c:GlobalRail[Float]{home==p}) {
        val rows = (m + TILE - 1n) / TILE, columns = (n + TILE - 1n) / TILE;
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..(rows - 1n) * 0n..(columns - 1n)) async {
                val left = new Rail[Float](TILE * TILE, 0.0f);
                val right = new Rail[Float](TILE * TILE, 0.0f);
                clocked finish for ([ty, tx] in 0n..(TILE - 1n) * 0n..(TILE - 1n)) clocked async {
                    val row = by * TILE + ty;
                    val column = bx * TILE + tx;
                    var sum:Float = 0.0f;
                    for (var t:Int = 0n; t < (k + TILE - 1n) / TILE; t++) {
                        val ac = t * TILE + tx, br = t * TILE + ty;
                        left(ty * TILE + tx) = (row < m && ac < k) ? a(row * k + ac) : 0.0f;
                        right(ty * TILE + tx) = (br < k && column < n) ? b(br * n + column) : 0.0f;
                        Clock.advanceAll();
                        for (var i:Int = 0n; i < TILE; i++) sum += left(ty * TILE + i) * right(i * TILE + tx);
                        Clock.advanceAll();
                    }
                    if (row < m && column < n) c(row * n + column) = sum;
                }
            }
        }
    }

    /** Tiles of 32 by 32 with a column of padding, 8 rows of threads. */
    static def transpose(p:Place, w:Int, h:Int, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((h + 31n) / 32n - 1n) * 0n..((w + 31n) / 32n - 1n)) async {
                val tile = new Rail[Float](32n * 33n);
                clocked finish for ([ty, tx] in 0n..(ROWS - 1n) * 0n..31n) clocked async {
                    val x = bx * 32n + tx, y = by * 32n + ty;
                    for (var j:Int = 0n; j < 32n; j += ROWS)
                        if (x < w && y + j < h) tile((ty + j) * 33n + tx) = from((y + j) * w + x);
                    Clock.advanceAll();
                    val u = by * 32n + tx, v = bx * 32n + ty;
                    for (var j:Int = 0n; j < 32n; j += ROWS)
                        if (u < h && v + j < w) to((v + j) * h + u) = tile(tx * 33n + ty + j);
                }
            }
        }
    }

    /** A step of heat in two dimensions: a tile with its halo in shared memory. */
    static def heat(p:Place, n:Int, k:Double, u:GlobalRail[Double]{home==p}, v:GlobalRail[Double]{home==p}) {
        val tiles = (n + TILE - 1n) / TILE;
        finish async at (p) @CUDA {
            finish for ([bi, bj] in 0n..(tiles - 1n) * 0n..(tiles - 1n)) async {
                val tile = new Rail[Double]((TILE + 2n) * (TILE + 2n), 0.0);
                clocked finish for ([ti, tj] in 0n..(TILE - 1n) * 0n..(TILE - 1n)) clocked async {
                    val i = bi * TILE + ti;
                    val j = bj * TILE + tj;
                    val s = (ti + 1n) * (TILE + 2n) + tj + 1n;
                    if (i < n && j < n) {
                        tile(s) = u(i * n + j);
                        if (ti == 0 && i > 0n) tile(s - TILE - 2n) = u((i - 1n) * n + j);
                        if (ti == TILE - 1 && i < n - 1n) tile(s + TILE + 2n) = u((i + 1n) * n + j);
                        if (tj == 0 && j > 0n) tile(s - 1n) = u(i * n + j - 1n);
                        if (tj == TILE - 1 && j < n - 1n) tile(s + 1n) = u(i * n + j + 1n);
                    }
                    Clock.advanceAll();
                    if (i > 0n && i < n - 1n && j > 0n && j < n - 1n) {
                        val c = tile(s);
                        v(i * n + j) = c + k * (tile(s - 1n) + tile(s + 1n) + tile(s - TILE - 2n) + tile(s + TILE + 2n) - 4.0 * c);
                    }
                }
            }
        }
    }

    /** Shortest ways through one vertex. */
    static def floyd(p:Place, n:Int, k:Int, dist:GlobalRail[Int]{home==p}) {
        val tiles = (n + TILE - 1n) / TILE;
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..(tiles - 1n) * 0n..(tiles - 1n)) async {
                clocked finish for ([ty, tx] in 0n..(TILE - 1n) * 0n..(TILE - 1n)) clocked async {
                    val i = by * TILE + ty;
                    val j = bx * TILE + tx;
                    if (i < n && j < n) {
                        val through = dist(i * n + k) + dist(k * n + j);
                        if (through < dist(i * n + j)) dist(i * n + j) = through;
                    }
                }
            }
        }
    }

    static struct Number(re:Float, im:Float) {
        @CUDA operator this + (o:Number) = Number(re + o.re, im + o.im);
        @CUDA operator this * (o:Number) = Number(re * o.re - im * o.im, re * o.im + im * o.re);
        @CUDA def square() = re * re + im * im;
    }

    @CUDA static def escape(c:Number, most:Int):Int {
        var z:Number = Number(0.0f, 0.0f);
        var k:Int = 0n;
        while (k < most && z.square() <= 4.0f) {
            z = z * z + c;
            k++;
        }
        return k;
    }

    static def mandelbrot(p:Place, w:Int, h:Int, most:Int, image:GlobalRail[Int]{home==p}) {
        val dx = 3.2f / w, dy = 2.4f / h;
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((h + 15n) / 16n - 1n) * 0n..((w + 15n) / 16n - 1n)) async {
                clocked finish for ([ty, tx] in 0n..15n * 0n..15n) clocked async {
                    val x = (bx * 16n + tx) as Int, y = (by * 16n + ty) as Int;
                    if (x < w && y < h) image(y * w + x) = escape(Number(-2.2f + x * dx, -1.2f + y * dy), most);
                }
            }
        }
    }

    /** Counts per block in shared memory, then in the whole. */
    static def histogram(p:Place, n:Int, bytes:GlobalRail[UByte]{home==p}, bins:GlobalRail[UInt]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..1055n) async {
                val mine = new Rail[UInt](BINS, 0un);
                clocked finish for (thread in 0n..(BINS - 1n)) clocked async {
                    for (var i:Int = block * BINS + thread; i < n; i += 1056n * BINS) CUDAAtomic.add(mine, bytes(i), 1un);
                    Clock.advanceAll();
                    CUDAAtomic.add(bins, thread, mine(thread));
                }
            }
        }
    }

    /** A sparse matrix times a vector, a warp a row. */
    static def sparse(p:Place, rows:Int, starts:GlobalRail[Int]{home==p}, columns:GlobalRail[Int]{home==p}, values:GlobalRail[Float]{home==p},
            x:GlobalRail[Float]{home==p}, y:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((rows + 7n) / 8n - 1n)) async {
                clocked finish for (thread in 0n..255n) clocked async {
                    val row = block * 8n + thread / 32n;
                    val lane = thread % 32n;
                    var sum:Float = 0.0f;
                    if (row < rows)
                        for (var i:Int = starts(row) + lane; i < starts(row + 1n); i += 32n) sum += values(i) * x(columns(i));
                    for (var by:Int = 16n; by > 0n; by /= 2n) sum += CUDAWarp.shuffleDown(sum, by);
                    if (lane == 0n && row < rows) y(row) = sum;
                }
            }
        }
    }

    /** Prefix sums of blocks by Hillis and Steele, with two buffers. */
    static def scan(p:Place, n:Int, data:GlobalRail[Int]{home==p}, out:GlobalRail[Int]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 255n) / 256n - 1n)) async {
                val buffer = new Rail[Int](2n * 256n, 0n);
                clocked finish for (thread in 0n..255n) clocked async {
                    val i = block * 256n + thread;
                    var from:Int = 0n, to:Int = 1n;
                    buffer(thread) = i < n ? data(i) : 0n;
                    Clock.advanceAll();
                    for (var offset:Int = 1n; offset < 256n; offset *= 2n) {
                        if (thread >= offset) buffer(to * 256n + thread) = buffer(from * 256n + thread) + buffer(from * 256n + thread - offset);
                        else buffer(to * 256n + thread) = buffer(from * 256n + thread);
                        val t = from; from = to; to = t;
                        Clock.advanceAll();
                    }
                    if (i < n) out(i) = buffer(from * 256n + thread);
                }
            }
        }
    }

    @CUDA static def clamp(x:Int, low:Int, high:Int) = x < low ? low : x > high ? high : x;

    /** Edges of an image of bytes. */
    static def sobel(p:Place, w:Int, h:Int, from:GlobalRail[UByte]{home==p}, to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((h + 15n) / 16n - 1n) * 0n..((w + 15n) / 16n - 1n)) async {
                clocked finish for ([ty, tx] in 0n..15n * 0n..15n) clocked async {
                    val x = (bx * 16n + tx) as Int, y = (by * 16n + ty) as Int;
                    if (x < w && y < h) {
                        val l = clamp(x - 1n, 0n, w - 1n), r = clamp(x + 1n, 0n, w - 1n);
                        val u = clamp(y - 1n, 0n, h - 1n), d = clamp(y + 1n, 0n, h - 1n);
                        val a = from(u * w + l) as Int, b = from(u * w + x) as Int, c = from(u * w + r) as Int;
                        val e = from(y * w + l) as Int, f = from(y * w + r) as Int;
                        val g = from(d * w + l) as Int, i = from(d * w + x) as Int, j = from(d * w + r) as Int;
                        val gx = c + 2n * f + j - a - 2n * e - g, gy = g + 2n * i + j - a - 2n * b - c;
                        to(y * w + x) = Math.sqrtf((gx * gx + gy * gy) as Float);
                    }
                }
            }
        }
    }

    /** Products of many matrices of 4 by 4, in registers. */
    static def batch(p:Place, n:Int, a:GlobalRail[Float]{home==p}, b:GlobalRail[Float]{home==p}, c:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 127n) / 128n - 1n)) async {
                clocked finish for (thread in 0n..127n) clocked async {
                    val id = block * 128n + thread;
                    if (id < n) {
                        @StackAllocate val x = @StackAllocate new Rail[Float](16);
                        @StackAllocate val y = @StackAllocate new Rail[Float](16);
                        for (i in 0n..15n) { x(i) = a(id * 16n + i); y(i) = b(id * 16n + i); }
                        for (i in 0n..3n) for (j in 0n..3n) {
                            var s:Float = 0.0f;
                            for (k in 0n..3n) s += x(i * 4n + k) * y(k * 4n + j);
                            c(id * 16n + i * 4n + j) = s;
                        }
                    }
                }
            }
        }
    }

    public static def main(args:Rail[String]) {
        val small = args.size > 0 && args(0).equals("small");
        val cpu = args.size > 0 && args(0).equals("cpu");
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val real = (x:Float)=>x as Double;
        val whole = (x:Int)=>x as Double;

        val n = small ? 100n : cpu ? 512n : 2048n;
        val a = floats(p, (n as Long) * n, 31), b = floats(p, (n as Long) * n, 17), c = floats(p, (n as Long) * n, 1);
        measure("tiles of 16, matrices of " + n, ()=>sum(c, real), ()=>{ multiply(p, n, n, n, a, b, c); });

        val side = small ? 100n : cpu ? 2048n : 8192n;
        val cells = (side as Long) * side;
        val image = floats(p, cells, 7), turned = floats(p, cells, 1);
        measure("transposition of " + side, ()=>sum(turned, real), ()=>{ transpose(p, side, side, image, turned); });
        CUDAUtilities.deleteGlobalRail(image);

        val m = small ? 100n : cpu ? 1024n : 4096n;
        val u = CUDAUtilities.makeGlobalRail[Double](p, (m as Long) * m, (i:Long)=>(i % 1000) as Double);
        val v = CUDAUtilities.makeGlobalRail[Double](p, (m as Long) * m);
        measure("heat in a square of " + m, ()=>sum(v, (x:Double)=>x), ()=>{ heat(p, m, 0.2, u, v); });
        CUDAUtilities.deleteGlobalRail(u);
        CUDAUtilities.deleteGlobalRail(v);

        val dist = CUDAUtilities.makeGlobalRail[Int](p, (m as Long) * m, (i:Long)=>((i * 7919) % 10007 + 1) as Int);
        measure("shortest ways of " + m, ()=>sum(dist, whole), ()=>{ floyd(p, m, 5n, dist); });
        measure("mandelbrot of " + m, ()=>sum(dist, whole), ()=>{ mandelbrot(p, m, m, 256n, dist); });
        CUDAUtilities.deleteGlobalRail(dist);

        val many = small ? 10000n : cpu ? 1n << 24n : 1n << 28n;
        val bytes = CUDAUtilities.makeGlobalRail[UByte](p, many, new Rail[UByte](many, (i:Long)=>((i * 7919) >> 7) as UByte));
        val bins = CUDAUtilities.makeGlobalRail[UInt](p, BINS);
        measure("histogram of " + many, ()=>sum(bins, (x:UInt)=>x as Double), ()=>{ histogram(p, many, bytes, bins); });
        measure("edges of " + side, ()=>sum(turned, real), ()=>{ sobel(p, side, small ? 100n : cpu ? 2048n : 8192n, bytes, turned); });
        CUDAUtilities.deleteGlobalRail(bytes);
        CUDAUtilities.deleteGlobalRail(turned);

        val rows = small ? 1000n : cpu ? 100000n : 1000000n;
        val starts = new Rail[Int](rows + 1n);
        for (i in 0n..(rows - 1n)) starts(i + 1n) = starts(i) + 16n + (i * 7n) % 33n;
        val entries = starts(rows) as Long;
        val there = CUDAUtilities.makeGlobalRail[Int](p, rows + 1, starts);
        val columns = CUDAUtilities.makeGlobalRail[Int](p, entries, new Rail[Int](entries, (i:Long)=>((i * 7919) % rows) as Int));
        val values = floats(p, entries, 13), x = floats(p, rows, 3), y = floats(p, rows, 1);
        measure("sparse matrix of " + entries, ()=>sum(y, real), ()=>{ sparse(p, rows, there, columns, values, x, y); });

        val numbers = small ? 10000n : cpu ? 1n << 22n : 1n << 26n;
        val data = CUDAUtilities.makeGlobalRail[Int](p, numbers, new Rail[Int](numbers, (i:Long)=>(i % 10) as Int));
        val sums = CUDAUtilities.makeGlobalRail[Int](p, numbers);
        measure("prefix sums of " + numbers, ()=>sum(sums, whole), ()=>{ scan(p, numbers, data, sums); });
        CUDAUtilities.deleteGlobalRail(data);
        CUDAUtilities.deleteGlobalRail(sums);

        val count = small ? 1000n : cpu ? 1n << 18n : 1n << 22n;
        val left = floats(p, 16 * (count as Long), 31), right = floats(p, 16 * (count as Long), 17), product = floats(p, 16 * (count as Long), 1);
        measure("products of " + count + " by 4", ()=>sum(product, real), ()=>{ batch(p, count, left, right, product); });
    }
}
