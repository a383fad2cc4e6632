package x10.util;

import x10.compiler.CUDA;

/**
 * The slots that a SlotGroup has for activities of a place, or for blocks of kernels at a place. A kernel captures them, and each of its
 * blocks takes the slot with its own number: `slots(block)`.
 */
public struct Slots(count:Long) {
    private val group:Long;
    private val first:Long;
    private val size:Long;

    @CUDA def this(group:Long, first:Long, count:Long, size:Long) {
        property(count);
        this.group = group;
        this.first = first;
        this.size = size;
    }

    /** The rank of the first of them; the others follow. */
    @CUDA public def firstRank():Long = first;
    /** Slot number i of them. Beyond `count` there is none: calls of the slot that this gives raise an exception. */
    @CUDA public operator this(i:Long):Slot = new Slot(group, i >= 0 && i < count ? first + i : -1, size, 0, size, 1);
    /** Slot number i of them. Beyond `count` there is none: calls of the slot that this gives raise an exception. */
    @CUDA public operator this(i:Int):Slot = this(i as Long);
    /** The ranks. */
    public def toString():String = "Slots(" + first + ".." + (first + count - 1) + ")";
}
