import x10.compiler.CUDA;
import x10.util.ArrayList;
import x10.util.CUDAUtilities;

/** Launches that capture a rail, which nobody changes between them or whose one element changes: medians of 51, in microseconds. */
public class captured {
    static def measure(p:Place, n:Long, change:Boolean, out:GlobalRail[Float]{self.home()==p}) {
        val rail = new Rail[Float](n, 1.0f);
        val times = new ArrayList[Long]();
        for (i in 1..61) {
            if (change) rail(i * 7919 % n) += 1.0f;
            val start = System.nanoTime();
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..31n) clocked async { out(thread) = rail(thread); }
                }
            }
            if (i > 10) times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        return times(times.size() / 2) / 1.0E3;
    }

    public static def main(Rail[String]) {
        for (p in PlaceTopology.getTopology().children(here)) {
            val out = CUDAUtilities.makeGlobalRail[Float](p, 32);
            for (n in [256, 4096, 16384, 65536, 262144, 4194304, 67108864])
                Console.OUT.printf("%d bytes: unchanged %.1f us, changed %.1f us\n", 4 * n, measure(p, n, false, out), measure(p, n, true, out));
            CUDAUtilities.deleteGlobalRail(out);
        }
    }
}
