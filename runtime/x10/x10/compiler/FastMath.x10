package x10.compiler;

import x10.lang.annotations.*;

/**
 * On a kernel, with `@CUDA`: its mathematical functions, divisions and roots of Floats are the fast ones of the device, with fewer
 * exact digits, and numbers too small for a full mantissa are 0. On a `@CUDA` function, or in a kernel on a statement, block or
 * expression: those written there are, not those of functions that it calls. On a processor nothing changes.
 */
public interface FastMath extends StatementAnnotation, ExpressionAnnotation, MethodAnnotation { }
