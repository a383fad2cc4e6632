package x10.compiler;

import x10.lang.annotations.*;

/** The field is not set by a constructor. */
public interface Uninitialized extends FieldAnnotation { }
