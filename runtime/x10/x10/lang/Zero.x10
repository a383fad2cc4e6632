package x10.lang;

import x10.compiler.Intrinsic;

/** The zero of each type that has one. */
public class Zero {
    /** 0, false, null, or the struct of zeros. */
    @Intrinsic("any.zero") public static native def get[T](){T haszero}:T;
}
