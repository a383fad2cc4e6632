package x10.compiler;

import x10.lang.annotations.*;

/** The field is transient though its type has no default value. */
public interface SuppressTransientError extends FieldAnnotation { }
