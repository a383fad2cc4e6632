import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Loops over a grid of few threads, which read early on a device: each length around the iterations at which they begin and end. */
public class kernel_few {
    static THREADS = 64n;
    static BLOCKS = 2n;
    static GRID = 128n;

    static def make(p:Place, n:Long, factor:Int):GlobalRail[Int]{home==p} =
        CUDAUtilities.makeGlobalRail[Int](p, n, new Rail[Int](n, (i:Long) => (i as Int) * factor + 1n));

    static def compare(what:String, n:Long, found:GlobalRail[Int], expected:(Long)=>Int):Boolean {
        val all = new Rail[Int](n);
        finish Rail.asyncCopy(found, 0, all, 0, n);
        for (i in 0..(n - 1)) if (all(i) != expected(i)) {
            Console.OUT.println(what + " of " + n + ": " + all(i) + " at " + i + " for " + expected(i));
            return false;
        }
        return true;
    }

    static def up(p:Place, n:Long, a:GlobalRail[Int]{home==p}, b:GlobalRail[Int]{home==p}, out:GlobalRail[Int]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(BLOCKS - 1n)) async {
                clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                    for (var i:Long = block * THREADS + thread; i < n; i += GRID) out(i) = a(i) * a(i) - b(i);
                }
            }
        }
    }

    /** Downwards, with a second counter, a way on and a read that is not always done. */
    static def down(p:Place, n:Int, a:GlobalRail[Int]{home==p}, b:GlobalRail[Int]{home==p}, out:GlobalRail[Int]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(BLOCKS - 1n)) async {
                clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                    var count:Int = block * THREADS + thread;
                    for (var i:Int = n - 1n - block * THREADS - thread; i >= 0n; i -= GRID, count += GRID) {
                        val first = a(i);
                        if (first % 3n == 0n) {
                            out(i) = -1n;
                            continue;
                        }
                        out(i) = first + (i + 1n < n ? b(i + 1n) : 0n) + count;
                    }
                }
            }
        }
    }

    /** Both sides may be one rail: nothing is read before it is stored. */
    static def same(p:Place, n:Int, from:GlobalRail[Int]{home==p}, to:GlobalRail[Int]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                    for (var i:Int = thread; i < n - 64n; i += 64n) to(i + 64n) = from(i) + 1n;
                }
            }
        }
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        var right:Boolean = true;
        for (n in [1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 383, 384, 385, 1000, 5000]) {
            val a = make(p, n, 7n), b = make(p, n, -3n), out = make(p, n, 0n);
            up(p, n, a, b, out);
            right &= compare("up", n, out, (i:Long) => { val x = (i as Int) * 7n + 1n; return x * x - (1n - 3n * (i as Int)); });
            down(p, n as Int, a, b, out);
            right &= compare("down", n, out, (i:Long) => {
                val x = (i as Int) * 7n + 1n;
                if (x % 3n == 0n) return -1n;
                return x + (i + 1 < n ? 1n - 3n * (i as Int + 1n) : 0n) + (n - 1 - i) as Int;
            });
            same(p, n as Int, out, a);
            val before = new Rail[Int](n);
            finish Rail.asyncCopy(out, 0, before, 0, n);
            right &= compare("apart", n, a, (i:Long) => i < 64 ? (i as Int) * 7n + 1n : before(i - 64) + 1n);
            same(p, n as Int, a, a);
            right &= compare("one", n, a, (i:Long) => (i % 64) as Int * 7n + 1n + (i / 64) as Int);
            CUDAUtilities.deleteGlobalRail(a);
            CUDAUtilities.deleteGlobalRail(b);
            CUDAUtilities.deleteGlobalRail(out);
        }
        Console.OUT.println(right ? "ok" : "FAILED");
    }
}
