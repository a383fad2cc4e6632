package x10.compiler;

import x10.lang.annotations.*;

/** Read and written as other activities see it. */
public interface Volatile extends FieldAnnotation { }
