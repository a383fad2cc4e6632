package x10.compiler;

import x10.lang.annotations.*;

/** The object may lie on the stack and needs no first value. */
public interface StackAllocateUninitialized extends ExpressionAnnotation { }
