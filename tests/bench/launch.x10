import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * The cost of an empty kernel through `finish async at`, and of one whose only number is read after it, in microseconds: medians of 1,000
 * after 100 to warm up. Then how long some activities take that each run a kernel of one block and read 16 KB of what it has written.
 */
public class launch {
    static def empty(p:Place) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async { }
            }
        }
    }

    /** What loops do that continue until something has converged. */
    static def counted(p:Place, count:GlobalRail[Long]{self.home() == p}, found:Rail[Long]) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    if (thread == 0n) count(0) = count(0) + 1;
                }
            }
        }
        finish Rail.asyncCopy(count, 0, found, 0, 1);
    }

    /** The given number of iterations of one block; each thread leaves a number. */
    static def busy(p:Place, turns:Int, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..255n) clocked async {
                    var x:Float = thread as Float;
                    for (turn in 1n..turns) x = x * 0.999f + 1.0f;
                    for (var to:Int = thread; to < 4096n; to += 256n) out(to) = x;
                }
            }
        }
    }

    static def several(p:Place, count:Long) {
        val turns = 100000n;
        val written = new Rail[GlobalRail[Float]](count, (Long)=>CUDAUtilities.makeGlobalRail[Float](p, 4096));
        val read = new Rail[Rail[Float]](count, (Long)=>new Rail[Float](4096));
        measure(count + " at once", 10, 100, () => {
            finish for (i in 0..(count - 1)) async {
                val out = written(i) as GlobalRail[Float]{self.home() == p};
                busy(p, turns, out);
                finish Rail.asyncCopy(out, 0, read(i), 0, 4096);
            }
        });
        for (rail in written) CUDAUtilities.deleteGlobalRail(rail);
    }

    static def measure(what:String, work:()=>void) {
        measure(what, 100, 1000, work);
    }

    static def measure(what:String, warm:Long, runs:Long, work:()=>void) {
        for (i in 1..warm) work();
        val times = new x10.util.ArrayList[Long]();
        for (i in 1..runs) {
            val start = System.nanoTime();
            work();
            times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("%s: median %.2f us, p99 %.2f us\n", what, times(runs / 2) / 1000.0, times(runs * 99 / 100) / 1000.0);
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        measure("launch and wait at " + p, () => empty(p));
        val count = CUDAUtilities.makeGlobalRail[Long](p, 1);
        val found = new Rail[Long](1);
        measure("launch, wait and read at " + p, () => counted(p, count, found));
        if (found(0) != 1100) Console.OUT.println("read " + found(0));
        CUDAUtilities.deleteGlobalRail(count);
        for (activities in [1, 4, 8, 16 as Long]) several(p, activities);
    }
}
