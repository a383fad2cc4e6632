package x10.compiler;

import x10.lang.annotations.*;

/** Asks that an object live on the stack of its method. */
public interface StackAllocate extends StatementAnnotation, ExpressionAnnotation, FieldAnnotation { }
