package x10.lang;

import x10.compiler.Intrinsic;

/** What the class library may do and programs should not. */
public class Unsafe {
    /** A rail of size elements that the caller sets before anyone reads them; works for types without a zero. */
    @Intrinsic("rail.allocate") public static native def uninitialised[T](size:Long):Rail[T];
    /** The element at index, which the caller knows to be in the rail. */
    @Intrinsic("rail.get_unchecked") public static native def get[T](rail:Rail[T], index:Long):T;
    /** Sets the element at index, which the caller knows to be in the rail. */
    @Intrinsic("rail.set_unchecked") public static native def set[T](rail:Rail[T], index:Long, value:T):void;
    /** Sets count elements from start on to zero, also where the type has none and nobody reads it. */
    @Intrinsic("rt.rail_clear") public static native def clear(rail:Any, start:Long, count:Long):void;
}
