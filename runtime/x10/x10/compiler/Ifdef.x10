package x10.compiler;

import x10.lang.annotations.*;

/** Compiled only if the macro is set in the generated code. */
public interface Ifdef(macro:String) extends FieldAnnotation, MethodAnnotation, StatementAnnotation, ClassAnnotation { }
