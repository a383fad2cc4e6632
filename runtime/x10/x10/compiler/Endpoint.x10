package x10.compiler;

import x10.lang.annotations.*;

/** Asks that an `at` use this network endpoint. */
public interface Endpoint(n:Int) extends ExpressionAnnotation, StatementAnnotation { }
