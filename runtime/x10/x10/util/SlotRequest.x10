package x10.util;

import x10.compiler.CUDA;

/** A send or receive that a slot has begun: Slot.test and Slot.wait take it. It belongs to that slot. */
public struct SlotRequest(number:Long) {
    /** The slot's request with that number. */
    @CUDA public def this(number:Long) { property(number); }
}
