import x10.util.ArrayList;
import x10.util.CUDAUtilities;

/** asyncCopy of an ordinary rail of 1 GB to an accelerator and back: medians of 10. */
public class copy {
    static def measure(what:String, bytes:Long, run:()=>void) {
        val times = new ArrayList[Long]();
        for (i in 1..12) {
            val start = System.nanoTime();
            run();
            if (i > 2) times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("asyncCopy, 1 GB %s the accelerator: median %.2f ms, %.1f GB/s\n", what, times(5) / 1.0E6, bytes / (times(5) as Double));
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val n = 1 << 27;
        val rail = new Rail[Long](n, (i:Long)=>i);
        val there = CUDAUtilities.makeGlobalRail[Long](p, n);
        measure("to", 8 * n, ()=>{ finish Rail.asyncCopy(rail, 0, there, 0, n); });
        for (i in 0..(n - 1)) rail(i) = 0;
        measure("from", 8 * n, ()=>{ finish Rail.asyncCopy(there, 0, rail, 0, n); });
        for (i in 0..(n - 1)) if (rail(i) != i) throw new Exception("element " + i + " is " + rail(i));
    }
}
