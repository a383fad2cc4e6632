import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * A polynomial evaluated for many values, its coefficients in constant memory, which serves all threads of a warp that read the
 * same address at once. Grid and block size are chosen for the device.
 */
public class constant_memory {
    public static def main(args:Rail[String]) {
        val size = args.size > 0 ? Long.parse(args(0)) : 100000;
        val coefficients = [1.0f, -0.5f, 0.25f, -0.125f, 0.0625f, -0.03125f];
        val degree = (coefficients.size - 1) as Int;
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val result = CUDAUtilities.makeGlobalRail[Float](p, size);

        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            val threads = CUDAUtilities.autoThreads();
            val c = CUDAConstantRail(coefficients);
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    for (var i:Long = block * threads + thread; i < size; i += blocks * threads) {
                        val x = (i as Float) / size;
                        var value:Float = 0.0f;
                        // Horner's scheme, from the highest power down.
                        for (var k:Int = degree; k >= 0n; k--) value = value * x + c(k);
                        result(i) = value;
                    }
                }
            }
        }

        val output = new Rail[Float](size);
        finish Rail.asyncCopy(result, 0, output, 0, size);
        CUDAUtilities.deleteGlobalRail(result);
        var worst:Double = 0.0;
        for (i in 0..(size - 1)) {
            val x = (i as Double) / size;
            var value:Double = 0.0;
            for (var k:Long = degree; k >= 0; k--) value = value * x + coefficients(k);
            worst = Math.max(worst, Math.abs(value - output(i)));
        }
        Console.OUT.println((worst < 1.0E-5 ? "SUCCESS" : "FAIL, error " + worst) + " at " + p + (p.isCUDA() ? " (GPU)" : " (CPU)"));
    }
}
