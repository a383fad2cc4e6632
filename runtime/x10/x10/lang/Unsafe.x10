package x10.lang;

import x10.compiler.Intrinsic;

/** What the class library may do and programs should not. */
public class Unsafe {
    /** A rail of size elements that the caller sets before anyone reads them; works for types without a zero. */
    @Intrinsic("rail.allocate") public static native def uninitialised[T](size:Long):Rail[T];
}
