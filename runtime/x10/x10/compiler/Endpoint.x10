package x10.compiler;

import x10.lang.annotations.*;

/** The network endpoint behind an `at`; apg chooses itself. */
public interface Endpoint(n:Int) extends ExpressionAnnotation, StatementAnnotation { }
