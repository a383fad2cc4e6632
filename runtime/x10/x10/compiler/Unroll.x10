package x10.compiler;

import x10.lang.annotations.*;

/** Asks that a loop be unrolled this many times. */
public interface Unroll(factor:Int) extends StatementAnnotation { }
