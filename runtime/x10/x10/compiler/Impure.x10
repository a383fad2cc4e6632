package x10.compiler;

import x10.lang.annotations.*;

/** The method has effects. */
public interface Impure extends MethodAnnotation, ExpressionAnnotation { }
