package x10.compiler;

import x10.lang.annotations.*;

/** The type must be written. */
public interface NoInferType extends MethodAnnotation, FieldAnnotation { }
