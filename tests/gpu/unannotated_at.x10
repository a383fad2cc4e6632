// status: 1
// stderr: unannotated_at.x10:9
// stderr: @CUDA
/** Code that is no kernel cannot run on a GPU; the error names the line of the `at`. */
public class unannotated_at {
    public static def main(args:Rail[String]) {
        val gpu = PlaceTopology.getTopology().getChild(here, 0);
        Console.OUT.println("before");
        at (gpu) {
            Console.OUT.println("never");
        }
    }
}
