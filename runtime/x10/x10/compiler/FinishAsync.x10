package x10.compiler;

import x10.lang.annotations.*;

/** How an `async` and its `finish` belong together; apg finds out itself. */
public interface FinishAsync(arity:Int, place:Int, isLast:Boolean, pattern:Int) extends StatementAnnotation { }
