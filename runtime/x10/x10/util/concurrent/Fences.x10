package x10.util.concurrent;

import x10.compiler.Intrinsic;

/**
 * Orders accesses to memory. In a kernel as well: what a thread has stored before a fence, others that see what it stores or adds after it see too. The
 * threads of a block that meet at a barrier need no fence.
 */
public class Fences {
    /** No read before it comes after a read after it. */
    @Intrinsic("rt.atomic_fence") public static native def loadLoadBarrier():void;
    /** No read before it comes after a write after it. */
    @Intrinsic("rt.atomic_fence") public static native def loadStoreBarrier():void;
    /** No write before it comes after a read after it. */
    @Intrinsic("rt.atomic_fence") public static native def storeLoadBarrier():void;
    /** No write before it comes after a write after it. */
    @Intrinsic("rt.atomic_fence") public static native def storeStoreBarrier():void;
}
