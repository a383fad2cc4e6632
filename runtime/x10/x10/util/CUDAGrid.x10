package x10.util;

import x10.compiler.Intrinsic;

/**
 * All threads of a kernel, numbered block by block: `for (var i:Long = CUDAGrid.index(); i < n; i += CUDAGrid.size())` shares n
 * elements among them, whatever the kernel's blocks and threads are. Outside of a kernel a thread is alone.
 */
public class CUDAGrid {
    /** The number of this thread. */
    @Intrinsic("thread.grid_index") public static native def index():Long;
    /** How many threads there are. */
    @Intrinsic("thread.grid_size") public static native def size():Long;
}
