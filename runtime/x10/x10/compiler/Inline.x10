package x10.compiler;

import x10.lang.annotations.*;

/** Asks that calls of a method be replaced by its body. */
public interface Inline extends MethodAnnotation, ExpressionAnnotation { }
