import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * The cost of an empty kernel through `finish async at`, and of one whose only number is read after it, in microseconds: medians of 1,000
 * after 100 to warm up.
 */
public class launch {
    static def empty(p:Place) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async { }
            }
        }
    }

    /** What loops do that go on until something has converged. */
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

    static def measure(what:String, work:()=>void) {
        for (i in 1..100) work();
        val times = new x10.util.ArrayList[Long]();
        for (i in 1..1000) {
            val start = System.nanoTime();
            work();
            times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("%s: median %.2f us, p99 %.2f us\n", what, times(500) / 1000.0, times(990) / 1000.0);
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
    }
}
