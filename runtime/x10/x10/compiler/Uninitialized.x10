package x10.compiler;

import x10.lang.annotations.*;

/** The field needs no first value. */
public interface Uninitialized extends FieldAnnotation { }
