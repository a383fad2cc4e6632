package x10.compiler;

import x10.lang.annotations.*;

/** Asks that an object live on the stack of its method, without zeros in it. */
public interface StackAllocateUninitialized extends ExpressionAnnotation { }
