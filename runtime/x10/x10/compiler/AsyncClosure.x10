package x10.compiler;

import x10.lang.annotations.*;

/** Marks a closure that the compiler made of an `async`. */
public interface AsyncClosure extends ExpressionAnnotation, StatementAnnotation { }
