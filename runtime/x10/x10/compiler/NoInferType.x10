package x10.compiler;

import x10.lang.annotations.*;

/** The type is not inferred. */
public interface NoInferType extends MethodAnnotation, FieldAnnotation { }
