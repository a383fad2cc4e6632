package x10.compiler;

import x10.lang.annotations.*;

/** A string as another language has it. */
public interface NativeString extends ExpressionAnnotation { }
