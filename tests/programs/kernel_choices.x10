import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Numbers of blocks and threads that the launch chooses from lists of the program's. */
public class kernel_choices {
    static val N = 1000n;

    static def isOneOf(value:Int, choices:Rail[Int]):Boolean {
        for (choice in choices) if (choice == value) return true;
        return false;
    }

    /** The sum of the squares below N, and whether the kernel was started with one of the choices. */
    static def run(p:Place) {
        val squares = CUDAUtilities.makeGlobalRail[Int](p, N);
        val used = CUDAUtilities.makeGlobalRail[Int](p, 2);
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks([16n, 5n, 3n]);
            val threads = CUDAUtilities.autoThreads([96n, 64n, 32n]);
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                    for (var i:Int = block * threads + thread; i < N; i += blocks * threads) squares(i) = i * i;
                    if (block == 0n && thread == 0n) {
                        used(0) = blocks;
                        used(1) = threads;
                    }
                }
            }
        }
        val all = new Rail[Int](N);
        val numbers = new Rail[Int](2);
        finish {
            Rail.asyncCopy(squares, 0, all, 0, N);
            Rail.asyncCopy(used, 0, numbers, 0, 2);
        }
        var sum:Long = 0;
        for (square in all) sum += square;
        Console.OUT.println(sum + " " + isOneOf(numbers(0), [16n, 5n, 3n]) + " " + isOneOf(numbers(1), [96n, 64n, 32n]));
    }

    /** Blocks alone. */
    static def blocksAlone(p:Place) {
        val count = CUDAUtilities.makeGlobalRail[Int](p, 7, -1n);
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks([7n]);
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    if (thread == 0n) count(block) = block;
                }
            }
        }
        val all = new Rail[Int](7);
        finish Rail.asyncCopy(count, 0, all, 0, 7);
        Console.OUT.println(all);
    }

    public static def main(args:Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        run(here);
        run(p);
        blocksAlone(p);
        Console.OUT.println(CUDAUtilities.autoThreads([4n, 2n]) + " " + CUDAUtilities.autoBlocks([9n]));
    }
}
