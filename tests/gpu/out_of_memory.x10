// status: 1
// stderr: OutOfMemoryError
// stderr: bytes
import x10.util.CUDAUtilities;

/** More than any device has: an error that names the device, what was asked and what is free. */
public class out_of_memory {
    public static def main(args:Rail[String]) {
        val gpu = PlaceTopology.getTopology().getChild(here, 0);
        val huge = CUDAUtilities.makeGlobalRail[Double](gpu, 1000000000000);
        Console.OUT.println(huge.size);
    }
}
