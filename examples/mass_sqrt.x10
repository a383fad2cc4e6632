import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * Square roots on every accelerator of every host, on the host itself where it has none: one kernel, compiled for both.
 */
public class mass_sqrt {
    static N = 100000;

    static def sqrtAt(p:Place, input:Rail[Float]):Rail[Float] {
        val remote = CUDAUtilities.makeGlobalRail[Float](p, N);
        finish async at (p) @CUDA {
            finish for (block in 0n..31n) async {
                clocked finish for (thread in 0n..127n) clocked async {
                    for (var i:Long = block * 128n + thread; i < N; i += 32n * 128n) {
                        remote(i) = Math.sqrtf(input(i));
                    }
                }
            }
        }
        val output = new Rail[Float](N);
        finish Rail.asyncCopy(remote, 0, output, 0, N);
        CUDAUtilities.deleteGlobalRail(remote);
        return output;
    }

    static def check(output:Rail[Float]):String {
        for (i in output.range) {
            if (Math.abs(output(i) * output(i) - i) > 1.0E-6f * i) return "wrong at " + i + ": " + output(i);
        }
        return "all " + output.size + " square roots are right";
    }

    public static def main(args:Rail[String]) {
        finish for (host in Place.places()) at (host) async {
            val topology = PlaceTopology.getTopology();
            val input = new Rail[Float](N, (i:Long)=>i as Float);
            if (topology.numChildren(here) == 0) {
                Console.OUT.println(here + " (CPU): " + check(sqrtAt(here, input)));
            } else {
                finish for (gpu in topology.children(here)) async {
                    Console.OUT.println(gpu + " (GPU of " + gpu.parent() + "): " + check(sqrtAt(gpu, input)));
                }
            }
        }
    }
}
