package x10.util;

import x10.compiler.CUDA;

/** What a receive has received. */
public struct SlotStatus(source:Long, elements:Long) {
    /** A message of that many elements from the slot with that rank. */
    @CUDA public def this(source:Long, elements:Long) { property(source, elements); }
    /** "n elements from slot r". */
    public def toString():String = elements + " elements from slot " + source;
}
