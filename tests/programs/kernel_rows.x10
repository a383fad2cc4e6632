import x10.compiler.CUDA;
import x10.util.CUDAAtomic;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/** Kernels of which a CPU takes whole rows of blocks, loops of some threads only, or warps at a time, each against plain loops. */
public class kernel_rows {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def compare(name:String, out:GlobalRail[Int], expected:(Long)=>Int) {
        val rail = new Rail[Int](out.size);
        finish Rail.asyncCopy(out, 0, rail, 0, out.size);
        var wrong:Long = 0;
        for (i in rail.range()) if (rail(i) != expected(i)) wrong++;
        CUDAUtilities.deleteGlobalRail(out);
        if (wrong > 0) Console.OUT.println(name + ": " + wrong + " of " + rail.size + " are wrong");
    }

    /** Inside of both sides, and of the border with `edge`. */
    static def inside(p:Place, w:Int, h:Int, edge:Int) {
        val across = (w + 15n) / 16n, down = (h + 3n) / 4n;
        val out = CUDAUtilities.makeGlobalRail[Int](p, w * h, (i:Long) => 7n);
        val from = CUDAUtilities.makeGlobalRail[Int](p, w * h, (i:Long) => (i * 31 % 1009) as Int);
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..(down - 1n) * 0n..(across - 1n)) async {
                clocked finish for ([ty, tx] in 0n..3n * 0n..15n) clocked async {
                    val first = bx * 16n;
                    val x = (first + tx) as Int, y = (by * 4n + ty) as Int;
                    if (x >= edge && x < w - edge && y >= edge && y < h - edge) {
                        val cell = y * w + x;
                        out(cell) = from(cell) * 2n + from(cell - edge) - from(cell + edge * w) + x;
                    }
                }
            }
        }
        val f = (i:Long) => (i * 31 % 1009) as Int;
        compare("inside " + w + " " + h + " " + edge, out, (i:Long) => {
            val x = (i % w) as Int, y = (i / w) as Int;
            if (x < edge || x >= w - edge || y < edge || y >= h - edge) return 7n;
            return f(i) * 2n + (f(i - edge) - f(i + edge * w)) + x;
        });
        CUDAUtilities.deleteGlobalRail(from);
    }

    /** Three axes, no guard, and a value for all threads of a block. */
    static def boxes(p:Place, nx:Int, ny:Int, nz:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 8n * nx * 2n * ny * 3n * nz);
        finish async at (p) @CUDA {
            finish for ([bz, by, bx] in 0n..(nz - 1n) * 0n..(ny - 1n) * 0n..(nx - 1n)) async {
                clocked finish for ([tz, ty, tx] in 0n..2n * 0n..1n * 0n..7n) clocked async {
                    val block = ((bz * ny + by) * nx + bx) as Int;
                    val x = (bx * 8n + tx) as Int, y = (by * 2n + ty) as Int, z = (bz * 3n + tz) as Int;
                    val cell = (z * 2n * ny + y) * 8n * nx + x;
                    if (x % 3n == 1n) out(cell) = block * 10n + (tz as Int);
                    else out(cell) = -block;
                }
            }
        }
        compare("boxes " + nx + " " + ny + " " + nz, out, (i:Long) => {
            val x = (i % (8 * nx)) as Int, y = (i / (8 * nx) % (2 * ny)) as Int, z = (i / (16 * nx * ny)) as Int;
            val block = ((z / 3n) * ny + y / 2n) * nx + x / 8n;
            return x % 3n == 1n ? block * 10n + z % 3n : -block;
        });
    }

    /** Neighbours of a row are columns here, and all add to one element. */
    static def columns(p:Place, w:Int, h:Int) {
        val across = (w + 7n) / 8n, down = (h + 7n) / 8n;
        val out = CUDAUtilities.makeGlobalRail[Int](p, w * h);
        val total = CUDAUtilities.makeGlobalRail[Int](p, 1);
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..(down - 1n) * 0n..(across - 1n)) async {
                clocked finish for ([ty, tx] in 0n..7n * 0n..7n) clocked async {
                    val x = (bx * 8n + tx) as Int, y = (by * 8n + ty) as Int;
                    if (x < w && y < h) {
                        out(x * h + y) = x - y;
                        CUDAAtomic.add(total, 0n, 1n);
                    }
                }
            }
        }
        compare("columns " + w + " " + h, out, (i:Long) => ((i / h) - (i % h)) as Int);
        compare("total " + w + " " + h, total, (i:Long) => w * h);
    }

    /** Guards on indices between barriers, and what one thread of a row, a warp or a block does for the others. */
    static def some(p:Place, rows:Int, row:Int, upTo:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, rows * row);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val tile = new Rail[Int](rows * row, -1n);
                val edge = new Rail[Int](rows, 0n);
                clocked finish for ([sy, sx] in 0n..(rows - 1n) * 0n..(row - 1n)) clocked async {
                    val ty = sy as Int, tx = sx as Int;
                    val cell = ty * row + tx;
                    var mine:Int = tx;
                    if (tx < upTo) tile(cell) = tx * 2n;
                    if (ty == rows - 1n) tile(cell) += 1000n;
                    if (tx == 0n && upTo > 3n) edge(ty) = ty + 1n;
                    if (tx == row - 1n) mine = 5n;
                    if (tx % 16n == 3n && tx >= 10n) tile(cell) += 100n;
                    if (upTo <= ty) tile(cell) -= 7n;
                    Clock.advanceAll();
                    out(cell) = tile(cell) + edge(ty) * 10000n + mine;
                }
            }
        }
        compare("some " + rows + " " + row + " " + upTo, out, (i:Long) => {
            val x = (i % row) as Int, y = (i / row) as Int;
            var value:Int = x < upTo ? x * 2n : -1n;
            if (y == rows - 1n) value += 1000n;
            if (x % 16n == 3n && x >= 10n) value += 100n;
            if (upTo <= y) value -= 7n;
            return value + (upTo > 3n ? (y + 1n) * 10000n : 0n) + (x == row - 1n ? 5n : x);
        });
    }

    static STEP = 4194304n;

    /** A guard of two sums that wrap, each in other threads of a row of blocks: what holds at its ends does not hold in between. */
    static def wrapping(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 1600);
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..0n * 0n..99n) async {
                clocked finish for ([ty, tx] in 0n..0n * 0n..15n) clocked async {
                    val x = (bx * 16 + tx) as Int;
                    if (((x * STEP + 2000000000n) as Long) - ((x * STEP + 1500000000n) as Long) > 0) out(x) = 1n;
                }
            }
        }
        compare("wrapping", out, (i:Long) => {
            val x = i as Int;
            return ((x * STEP + 2000000000n) as Long) - ((x * STEP + 1500000000n) as Long) > 0 ? 1n : 0n;
        });
    }

    /** Lanes that are made narrower, and a guard in which each thread asks both parts. */
    static def lanes(p:Place, zero:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 1024);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..1023n) clocked async {
                    out(thread) = 1n;
                    if (((thread % 512n) as Byte) == 3y) out(thread) += 10n;
                    if (((thread % 512n) as Byte) as Int == 3n) out(thread) += 100n;
                }
            }
        }
        compare("lanes", out, (i:Long) => ((i % 512) as Byte) == 3y ? 111n : 1n);
        val other = CUDAUtilities.makeGlobalRail[Int](p, 64);
        try {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        other(thread) = 1n;
                        if ((thread == 0n) & (100n / (zero + thread - 5n) >= 0n)) other(thread) += 10n;
                    }
                }
            }
            Console.OUT.println("thread 5 divides by zero");
        } catch (e:MultipleExceptions) {
        }
        CUDAUtilities.deleteGlobalRail(other);
    }

    /** Sums of warps by shuffles in three ways, and the value of a lane given to all. */
    static def warps(p:Place, threads:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 4 * threads);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    val lane = thread % 32n;
                    var down:Int = thread * thread, across:Int = thread * thread, up:Int = thread * thread;
                    for (var by:Int = 16n; by > 0n; by /= 2n) {
                        down += CUDAWarp.shuffleDown(down, by);
                        across = CUDAWarp.shuffleXor(across, by) + across;
                    }
                    for (var by:Int = 1n; by < 32n; by *= 2n) {
                        val before = CUDAWarp.shuffleUp(up, by);
                        if (lane >= by) up += before;
                    }
                    out(thread) = lane == 0n ? down : -1n;
                    out(threads + thread) = across;
                    out(2n * threads + thread) = up;
                    out(3n * threads + thread) = CUDAWarp.shuffle(up, 7n) + CUDAWarp.shuffle(thread, (lane + 1n) % 32n);
                }
            }
        }
        compare("warps " + threads, out, (i:Long) => {
            val thread = (i % threads) as Int, first = thread / 32n * 32n;
            var all:Int = 0n, before:Int = 0n, seven:Int = 0n;
            for (other in first..(first + 31n)) {
                all += other * other;
                if (other <= thread) before += other * other;
                if (other <= first + 7n) seven += other * other;
            }
            if (i < threads) return thread == first ? all : -1n;
            if (i < 2 * threads) return all;
            return i < 3 * threads ? before : seven + first + (thread + 1n) % 32n;
        });
    }

    public static def main(Rail[String]) {
        val p = place();
        for (w in [1n, 15n, 16n, 17n, 33n, 160n, 1100n] as Rail[Int])
            for (h in [1n, 4n, 9n, 20n] as Rail[Int])
                for (edge in 0n..2n) inside(p, w, h, edge);
        boxes(p, 1n, 1n, 1n);
        boxes(p, 5n, 3n, 2n);
        boxes(p, 130n, 2n, 2n);
        columns(p, 70n, 33n);
        columns(p, 8n, 100n);
        for (upTo in -1n..6n) {
            some(p, 8n, 16n, upTo);
            some(p, 4n, 48n, upTo * 8n);
        }
        warps(p, 32n);
        warps(p, 96n);
        wrapping(p);
        lanes(p, 0n);
        Console.OUT.println("done");
    }
}
