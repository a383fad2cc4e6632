package x10.util.concurrent;

import x10.compiler.Intrinsic;

/** Orders accesses to memory. */
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
