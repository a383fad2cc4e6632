package x10.compiler;

import x10.lang.annotations.*;

/** Asks that the method not be put into its callers. */
public interface NoInline extends MethodAnnotation, StatementAnnotation, ExpressionAnnotation { }
