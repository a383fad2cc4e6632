import x10.util.ArrayList;
import x10.util.CUDAUtilities;

/** asyncCopy of an ordinary rail of 1 GB to an accelerator and back: the first one, the mean of 25, and the median of the last 20. */
public class copy {
    static def measure(what:String, bytes:Long, run:()=>void) {
        val times = new ArrayList[Long]();
        var all:Long = 0;
        for (i in 1..25) {
            val start = System.nanoTime();
            run();
            val took = System.nanoTime() - start;
            if (i == 1) Console.OUT.printf("asyncCopy, 1 GB %s the accelerator: first %.1f GB/s", what, bytes / (took as Double));
            all += took;
            if (i > 5) times.add(took);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf(", mean %.1f GB/s, median %.2f ms, %.1f GB/s\n", 25 * bytes / (all as Double), times(10) / 1.0E6,
            bytes / (times(10) as Double));
    }

    /** Copies of rails of that size: medians of 200. */
    static def short(bytes:Long, p:Place) {
        val n = bytes / 8;
        val rail = new Rail[Long](n, (i:Long)=>i);
        val there = CUDAUtilities.makeGlobalRail[Long](p, n);
        for (way in 0..1) {
            val times = new Rail[Long](201);
            for (i in times.range) {
                val start = System.nanoTime();
                if (way == 0) finish Rail.asyncCopy(rail, 0, there, 0, n); else finish Rail.asyncCopy(there, 0, rail, 0, n);
                times(i) = System.nanoTime() - start;
            }
            x10.util.RailUtils.sort(times);
            Console.OUT.printf("asyncCopy, %d bytes %s the accelerator: median %.1f us\n", bytes, way == 0 ? "to" : "from", times(100) / 1000.0);
        }
        CUDAUtilities.deleteGlobalRail(there);
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        for (bytes in [4096, 65536, 1 << 20, 1 << 24]) short(bytes, p);
        val n = 1 << 27;
        val rail = new Rail[Long](n, (i:Long)=>i);
        val there = CUDAUtilities.makeGlobalRail[Long](p, n);
        measure("to", 8 * n, ()=>{ finish Rail.asyncCopy(rail, 0, there, 0, n); });
        val back = new Rail[Long](n);
        for (i in back.range) back(i) = 1;
        measure("from", 8 * n, ()=>{ finish Rail.asyncCopy(there, 0, back, 0, n); });
        for (i in back.range) if (back(i) != i) throw new Exception("element " + i + " is " + back(i));
    }
}
