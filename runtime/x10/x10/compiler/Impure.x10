package x10.compiler;

import x10.lang.annotations.*;

/** It has effects. */
public interface Impure extends MethodAnnotation, ExpressionAnnotation { }
