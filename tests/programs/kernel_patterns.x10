import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.compiler.Unroll;
import x10.util.*;

/** Kernels as one writes them in CUDA, each against a plain loop: scans, histograms, transposition, sorting, sparse matrices. */
public class kernel_patterns {
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

    /** Blelloch's scan of each block in shared memory, then the sums of blocks added by a second kernel. */
    static def scan(p:Place) {
        val n = 10000n, size = 256n;
        val blocks = (n + 2n * size - 1n) / (2n * size);
        val data = new Rail[Int](n, (i:Long) => ((i * 31) % 17 - 5) as Int);
        val d = send[Int](p, data);
        val sums = CUDAUtilities.makeGlobalRail[Int](p, blocks as Long);
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                val temp = new Rail[Int](2n * size, 0n);
                clocked finish for (thread in 0n..(size - 1n)) clocked async {
                    val base = block * 2n * size;
                    val a = base + 2n * thread, b = a + 1n;
                    temp(2n * thread) = a < n ? d(a) : 0n;
                    temp(2n * thread + 1n) = b < n ? d(b) : 0n;
                    var offset:Int = 1n;
                    for (var k:Int = size; k > 0n; k >>= 1) {
                        Clock.advanceAll();
                        if (thread < k) {
                            val ai = offset * (2n * thread + 1n) - 1n;
                            val bi = offset * (2n * thread + 2n) - 1n;
                            temp(bi) += temp(ai);
                        }
                        offset *= 2n;
                    }
                    Clock.advanceAll();
                    if (thread == 0n) {
                        sums(block) = temp(2n * size - 1n);
                        temp(2n * size - 1n) = 0n;
                    }
                    for (var k:Int = 1n; k <= size; k *= 2n) {
                        offset >>= 1;
                        Clock.advanceAll();
                        if (thread < k) {
                            val ai = offset * (2n * thread + 1n) - 1n;
                            val bi = offset * (2n * thread + 2n) - 1n;
                            val t = temp(ai);
                            temp(ai) = temp(bi);
                            temp(bi) += t;
                        }
                    }
                    Clock.advanceAll();
                    if (a < n) d(a) = temp(2n * thread);
                    if (b < n) d(b) = temp(2n * thread + 1n);
                }
            }
        }
        val s = fetch[Int](sums, blocks as Long);
        var run:Int = 0n;
        for (i in s.range()) { val v = s(i); s(i) = run; run += v; }
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..511n) clocked async {
                    val i = block * 512n + thread;
                    if (i < n) d(i) = d(i) + s(block);
                }
            }
        }
        val r = fetch[Int](d, n as Long);
        var ok:Boolean = true;
        var sum:Int = 0n;
        for (i in 0..(n - 1)) { if (r(i) != sum) ok = false; sum += data(i); }
        say("scan", ok);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(sums);
    }

    /** Counts per block in shared memory with atomics, merged into one. */
    static def histogram(p:Place) {
        val n = 50000;
        val text = new Rail[Byte](n, (i:Long) => ((i * i + 7 * i) % 251) as Byte);
        val d = send[Byte](p, text);
        val bins = CUDAUtilities.makeGlobalRail[Int](p, 256);
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            val threads = CUDAUtilities.autoThreads();
            finish for (block in 0n..(blocks - 1n)) async {
                val local = new Rail[Int](256, 0n);
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    for (var i:Int = block * threads + thread; i < n; i += blocks * threads)
                        CUDAAtomic.add(local, d(i) as Int & 0xffn, 1n);
                    Clock.advanceAll();
                    for (var i:Int = thread; i < 256n; i += threads)
                        CUDAAtomic.add(bins, i, local(i));
                }
            }
        }
        val r = fetch[Int](bins, 256);
        val wanted = new Rail[Int](256);
        for (b in text) wanted((b as Int & 0xffn) as Long)++;
        var ok:Boolean = true;
        for (i in r.range()) if (r(i) != wanted(i)) ok = false;
        say("histogram", ok);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(bins);
    }

    /** Tiles of 32 by 32 with 8 rows of threads and a column of padding. */
    static def transpose(p:Place) {
        val w = 100n, h = 70n;
        val a = new Rail[Double](w * h, (i:Long) => i as Double * 0.5);
        val d = send[Double](p, a);
        val out = CUDAUtilities.makeGlobalRail[Double](p, (w * h) as Long);
        val gx = (w + 31n) / 32n, gy = (h + 31n) / 32n;
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..(gy - 1n) * 0n..(gx - 1n)) async {
                val tile = new Rail[Double](32 * 33, 0.0);
                clocked finish for ([ty, tx] in 0n..7n * 0n..31n) clocked async {
                    @Unroll(4) for (var j:Int = 0n; j < 32n; j += 8n) {
                        val x = bx * 32n + tx, y = by * 32n + ty + j;
                        if (x < w && y < h) tile((ty + j) * 33n + tx) = d(y * w + x);
                    }
                    Clock.advanceAll();
                    @Unroll(4) for (var j:Int = 0n; j < 32n; j += 8n) {
                        val x = by * 32n + tx, y = bx * 32n + ty + j;
                        if (x < h && y < w) out(y * h + x) = tile(tx * 33n + ty + j);
                    }
                }
            }
        }
        val r = fetch[Double](out, (w * h) as Long);
        var ok:Boolean = true;
        for (y in 0n..(h - 1n)) for (x in 0n..(w - 1n)) if (r(x * h + y) != a(y * w + x)) ok = false;
        say("transpose", ok);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(out);
    }

    /** All steps of a bitonic sort of each block's part in shared memory; then merges in global memory. */
    static def bitonic(p:Place) {
        val n = 4096n;
        val random = new Random(17);
        val keys = new Rail[UInt](n, (Long) => random.nextInt() as UInt);
        val d = send[UInt](p, keys);
        for (var k:Int = 2n; k <= n; k *= 2n) {
            for (var j:Int = k / 2n; j > 0n; j /= 2n) {
                val kk = k, jj = j;
                finish async at (p) @CUDA {
                    finish for (block in 0n..(n / 256n - 1n)) async {
                        clocked finish for (thread in 0n..255n) clocked async {
                            val i = block * 256n + thread;
                            val other = i ^ jj;
                            if (other > i) {
                                val up = (i & kk) == 0n;
                                val x = d(i), y = d(other);
                                if ((x > y) == up) { d(i) = y; d(other) = x; }
                            }
                        }
                    }
                }
            }
        }
        val r = fetch[UInt](d, n as Long);
        RailUtils.sort(keys, (a:UInt, b:UInt) => a < b ? -1n : a > b ? 1n : 0n);
        var ok:Boolean = true;
        for (i in r.range()) if (r(i) != keys(i)) ok = false;
        say("bitonic sort", ok);
        CUDAUtilities.deleteGlobalRail(d);
    }

    static struct Entry(column:Int, value:Double) {}

    /** A row a warp, entries of structs, the sum by shuffles. */
    static def spmv(p:Place) {
        val rows = 300n;
        val starts = new Rail[Int](rows + 1n, 0n);
        val list = new ArrayList[Entry]();
        for (r in 0n..(rows - 1n)) {
            for (k in 0n..((r * 7n) % 61n)) list.add(Entry((r * 13n + k * 29n) % rows, 1.0 / (1 + k)));
            starts(r + 1n) = list.size() as Int;
        }
        val entries = list.toRail();
        val x = new Rail[Double](rows, (i:Long) => (i % 10) as Double);
        val out = CUDAUtilities.makeGlobalRail[Double](p, rows as Long);
        finish async at (p) @CUDA {
            finish for (block in 0n..((rows + 3n) / 4n - 1n)) async {
                clocked finish for (thread in 0n..127n) clocked async {
                    val row = block * 4n + thread / 32n;
                    val lane = thread % 32n;
                    var sum:Double = 0.0;
                    if (row < rows)
                        for (var i:Int = starts(row) + lane; i < starts(row + 1n); i += 32n) {
                            val e = entries(i);
                            sum += e.value * x(e.column);
                        }
                    for (var d:Int = 16n; d > 0n; d /= 2n) sum += CUDAWarp.shuffleDown(sum, d);
                    if (lane == 0n && row < rows) out(row) = sum;
                }
            }
        }
        val r = fetch[Double](out, rows as Long);
        var ok:Boolean = true;
        for (i in 0n..(rows - 1n)) {
            var sum:Double = 0.0;
            for (k in starts(i)..(starts(i + 1n) - 1n)) sum += entries(k).value * x(entries(k).column);
            if (Math.abs(sum - r(i)) > 1e-9) ok = false;
        }
        say("sparse matrix", ok);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** What is even is kept, in order within a block: prefix sums and one atomic a block. */
    static def compact(p:Place) {
        val n = 20000;
        val data = new Rail[Long](n, (i:Long) => i * i * 2654435761 % 1000003);
        val d = send[Long](p, data);
        val out = CUDAUtilities.makeGlobalRail[Long](p, n);
        val count = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n as Int + 255n) / 256n - 1n)) async {
                val start = new Rail[Int](1, 0n);
                clocked finish for (thread in 0n..255n) clocked async {
                    val i = block * 256n + thread;
                    val keep = i < n && d(i) % 2 == 0;
                    val before = CUDABlock.exclusiveSum(keep ? 1n : 0n);
                    if (thread == 255n) start(0) = CUDAAtomic.add(count, 0, before + (keep ? 1n : 0n));
                    Clock.advanceAll();
                    if (keep) out(start(0) + before) = d(i);
                }
            }
        }
        val c = fetch[Int](count, 1)(0);
        val r = fetch[Long](out, n);
        val wanted = new ArrayList[Long]();
        for (v in data) if (v % 2 == 0) wanted.add(v);
        val found = new ArrayList[Long]();
        for (i in 0..(c - 1)) found.add(r(i));
        wanted.sort(); found.sort();
        var ok:Boolean = c as Long == wanted.size();
        if (ok) for (i in 0..(c - 1)) if (wanted(i) != found(i)) ok = false;
        say("compaction", ok);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(out); CUDAUtilities.deleteGlobalRail(count);
    }

    /** A filter of 5 by 5 from constant memory over a tile with its halo. */
    static def convolution(p:Place) {
        val w = 90n, h = 50n;
        val a = new Rail[Float](w * h, (i:Long) => ((i * 7) % 23) as Float);
        val filter = new Rail[Float](25, (i:Long) => (i % 5 + 1) as Float / 8.0f);
        val d = send[Float](p, a);
        val out = CUDAUtilities.makeGlobalRail[Float](p, (w * h) as Long);
        val gx = (w + 15n) / 16n, gy = (h + 15n) / 16n;
        finish async at (p) @CUDA {
            val f = CUDAConstantRail(filter);
            finish for ([bx, by] in 0n..(gx - 1n) * 0n..(gy - 1n)) async {
                val tile = new Rail[Float](20 * 20, 0.0f);
                clocked finish for ([tx, ty] in 0n..15n * 0n..15n) clocked async {
                    val me = (tx + 16 * ty) as Int;
                    for (var k:Int = me; k < 400n; k += 256n) {
                        val x = bx * 16n + k % 20n - 2n, y = by * 16n + k / 20n - 2n;
                        tile(k) = x >= 0n && x < w && y >= 0n && y < h ? d(y * w + x) : 0.0f;
                    }
                    Clock.advanceAll();
                    val x = bx * 16n + tx, y = by * 16n + ty;
                    if (x < w && y < h) {
                        var sum:Float = 0.0f;
                        @Unroll(5) for (j in 0n..4n)
                            @Unroll(5) for (i in 0n..4n)
                                sum += f(j * 5n + i) * tile((ty + j) * 20n + tx + i);
                        out(y * w + x) = sum;
                    }
                }
            }
        }
        val r = fetch[Float](out, (w * h) as Long);
        var ok:Boolean = true;
        for (y in 0n..(h - 1n)) for (x in 0n..(w - 1n)) {
            var sum:Float = 0.0f;
            for (j in 0n..4n) for (i in 0n..4n) {
                val xx = x + i - 2n, yy = y + j - 2n;
                if (xx >= 0n && xx < w && yy >= 0n && yy < h) sum += filter(j * 5n + i) * a(yy * w + xx);
            }
            if (Math.abs(sum - r(y * w + x)) > 1e-3f) ok = false;
        }
        say("convolution", ok);
        CUDAUtilities.deleteGlobalRail(d); CUDAUtilities.deleteGlobalRail(out);
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        scan(p);
        histogram(p);
        transpose(p);
        bitonic(p);
        spmv(p);
        compact(p);
        convolution(p);
    }
}
