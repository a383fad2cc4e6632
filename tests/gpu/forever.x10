// interrupt: 3
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** A kernel that never ends: Ctrl-C ends the program. */
public class forever {
    public static def main(args:Rail[String]) {
        val p = PlaceTopology.getTopology().getChild(here, 0);
        val out = CUDAUtilities.makeGlobalRail[Long](p, 1);
        Console.OUT.println("begins");
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..0n) clocked async {
                    var i:Long = 0;
                    while (out(0) == 0) i++;
                    out(0) = i;
                }
            }
        }
        Console.OUT.println("never printed");
    }
}
