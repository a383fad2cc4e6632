package x10.lang;

/**
 * A read-only view of a rail that a kernel keeps in constant memory. Made before the kernel's outer finish:
 * `val c = CUDAConstantRail(rail);`.
 */
public struct CUDAConstantRail[T] {
    private val backing:Rail[T];

    /** A view of backing. */
    public def this(backing:Rail[T]) { this.backing = backing; }
    /** The element at i. */
    public operator this(i:Long):T = backing(i);
    /** How many elements. */
    public def size():Long = backing.size;
}
