package x10.compiler;

import x10.lang.annotations.*;

/** Compiled only if the macro is not set in the generated code. */
public interface Ifndef(macro:String) extends FieldAnnotation, MethodAnnotation, StatementAnnotation, ClassAnnotation { }
