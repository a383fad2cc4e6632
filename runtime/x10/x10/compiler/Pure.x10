package x10.compiler;

import x10.lang.annotations.*;

/** The method has no effects. */
public interface Pure extends MethodAnnotation, ExpressionAnnotation { }
