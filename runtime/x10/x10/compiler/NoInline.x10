package x10.compiler;

import x10.lang.annotations.*;

/** Asks that calls of a method be kept. */
public interface NoInline extends MethodAnnotation, ExpressionAnnotation { }
