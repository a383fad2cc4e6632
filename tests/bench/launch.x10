import x10.compiler.CUDA;

/** The cost of an empty kernel through `finish async at`, in microseconds: median of 1,000 after 100 to warm up. */
public class launch {
    static def empty(p:Place) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async { }
            }
        }
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        for (i in 1..100) empty(p);
        val times = new x10.util.ArrayList[Long]();
        for (i in 1..1000) {
            val start = System.nanoTime();
            empty(p);
            times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("launch and wait at %s: median %.2f us, p99 %.2f us\n", p, times(500) / 1000.0, times(990) / 1000.0);
    }
}
