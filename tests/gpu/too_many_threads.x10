// status: 1
// stderr: too_many_threads.x10:12
// stderr: 2000
import x10.compiler.CUDA;

/** A block of more threads than the device allows, known only at run time: an exception with limit and value; the device stays usable. */
public class too_many_threads {
    static def run(p:Place, threads:Int) {
        val data = x10.util.CUDAUtilities.makeGlobalRail[Int](p, 4096);
        try {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..(threads - 1n)) clocked async { data(thread) = thread; }
                }
            }
        } finally {
            x10.util.CUDAUtilities.deleteGlobalRail(data);
        }
    }

    public static def main(args:Rail[String]) {
        val gpu = PlaceTopology.getTopology().getChild(here, 0);
        try { run(gpu, 2000n); } catch (e:MultipleExceptions) { Console.OUT.println("refused"); }
        run(gpu, 64n);
        Console.OUT.println("usable");
        run(gpu, 2000n);
    }
}
