package x10.util.concurrent;

import x10.compiler.Intrinsic;

/** A reference that several activities read and change at once, each change as a whole. */
public final class AtomicReference[T]{T isref} {
    /** The one element is the reference. */
    private val cell:Rail[T] = Unsafe.allocRailUninitialized[T](1);

    /** Holds null. */
    public def this() { }
    /** Holds v. */
    public def this(v:T) { set(v); }
    /** A reference that holds null. */
    public static def newAtomicReference[T](){T isref}:AtomicReference[T] = new AtomicReference[T]();
    /** A reference that holds v. */
    public static def newAtomicReference[T](v:T){T isref}:AtomicReference[T] = new AtomicReference[T](v);

    /** The reference. */
    public def get():T = load[T](cell);
    /** Sets the reference. */
    public def set(v:T):void { store[T](cell, v); }
    /** Sets the reference to update if it is to the object expect; whether it was. */
    public def compareAndSet(expect:T, update:T):Boolean = compare[T](cell, expect, update);
    /** As compareAndSet. */
    public def weakCompareAndSet(expect:T, update:T):Boolean = compare[T](cell, expect, update);
    /** Sets the reference; gives the one before. */
    public def getAndSet(v:T):T = swap[T](cell, v);
    /** The text of the object. */
    public def toString():String = "" + get();

    @Intrinsic("rt.atomic_load_ref") private static native def load[T](cell:Rail[T]):T;
    @Intrinsic("rt.atomic_store_ref") private static native def store[T](cell:Rail[T], v:T):void;
    @Intrinsic("rt.atomic_swap_ref") private static native def swap[T](cell:Rail[T], v:T):T;
    @Intrinsic("rt.atomic_compare_ref") private static native def compare[T](cell:Rail[T], expect:T, update:T):Boolean;
}
