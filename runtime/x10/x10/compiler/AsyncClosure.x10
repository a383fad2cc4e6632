package x10.compiler;

import x10.lang.annotations.*;

/** The closure is the body of an `async`. */
public interface AsyncClosure extends ExpressionAnnotation, StatementAnnotation { }
