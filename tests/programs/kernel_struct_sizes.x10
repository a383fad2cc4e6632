import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Numbers of blocks and threads, and the size of shared memory, by methods of a struct and functions that kernels call. */
public class kernel_struct_sizes {
    static struct Grid {
        val width:Int;
        val height:Int;
        def this(width:Int, height:Int) { this.width = width; this.height = height; }
        @CUDA def cells():Int = width * height;
    }

    @CUDA static def same(n:Int):Int = 2n * n - n;

    public static def main(args:Rail[String]) {
        val p = here;
        val grid = Grid(4n, 3n);
        val out = CUDAUtilities.makeGlobalRail[Int](p, grid.cells() * grid.width);
        finish async at (p) @CUDA {
            finish for (block in 0n..(grid.cells() - 1n)) async {
                val cache = new Rail[Int](grid.cells());
                clocked finish for (thread in 0n..(same(grid.width) - 1n)) clocked async {
                    cache(thread) = thread + grid.cells();
                    Clock.advanceAll();
                    out(block * grid.width + thread) = cache((thread + 1n) % grid.width) + block;
                }
            }
        }
        var sum:Long = 0;
        for (i in 0..(out.size - 1)) sum += (i + 1) * out(i);
        Console.OUT.println(sum);
    }
}
