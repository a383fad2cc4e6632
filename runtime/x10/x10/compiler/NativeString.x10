package x10.compiler;

import x10.lang.annotations.*;

/** A text of another language. */
public interface NativeString extends ExpressionAnnotation { }
