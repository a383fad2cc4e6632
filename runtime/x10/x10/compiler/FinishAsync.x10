package x10.compiler;

import x10.lang.annotations.*;

/** What a `finish` governs. apg finds out itself. */
public interface FinishAsync(arity:Int, place:Int, isLast:Boolean, pattern:Int) extends StatementAnnotation { }
