import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * Each block loads a piece of a rail into shared memory, and all its threads then read their neighbours' elements from there:
 * a moving average, with a barrier between writing and reading. The same kernel runs on a host place.
 */
public class shared_memory {
    static RADIUS = 3n;
    static THREADS = 128n;

    static def average(p:Place, input:Rail[Float]):Rail[Float] {
        val size = input.size;
        val blocks = ((size + THREADS - 1) / THREADS) as Int;
        val threads = THREADS;
        val radius = RADIUS;
        val tileSize = threads + 2n * radius;
        val result = CUDAUtilities.makeGlobalRail[Float](p, size);
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                val tile = new Rail[Float](tileSize, 0.0f);
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    // The block's elements and `radius` more on both sides; what lies outside stays 0.
                    val first = block * threads - radius;
                    for (var i:Int = thread; i < tileSize; i += threads) {
                        val from = first + i;
                        if (from >= 0n && from < size) tile(i) = input(from);
                    }
                    Clock.advanceAll();
                    val to = block * threads + thread;
                    if (to < size) {
                        var sum:Float = 0.0f;
                        for (offset in 0n..(2n * radius)) sum += tile(thread + offset);
                        result(to) = sum / (2n * radius + 1n);
                    }
                }
            }
        }
        val output = new Rail[Float](size);
        finish Rail.asyncCopy(result, 0, output, 0, size);
        CUDAUtilities.deleteGlobalRail(result);
        return output;
    }

    public static def main(args:Rail[String]) {
        val size = args.size > 0 ? Long.parse(args(0)) : 10000;
        val input = new Rail[Float](size, (i:Long)=>((i * 7919) % 1000) as Float);
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val output = average(p, input);

        var wrong:Long = 0;
        for (i in 0..(size - 1)) {
            var sum:Float = 0.0f;
            for (j in (i - RADIUS)..(i + RADIUS)) if (j >= 0 && j < size) sum += input(j);
            if (Math.abs(output(i) - sum / (2n * RADIUS + 1n)) > 1.0E-3f) wrong++;
        }
        Console.OUT.println((wrong == 0 ? "SUCCESS" : "FAIL (" + wrong + " wrong)") + " at " + p + (p.isCUDA() ? " (GPU)" : " (CPU)"));
    }
}
