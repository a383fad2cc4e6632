package x10.compiler;

import x10.lang.annotations.*;

/** Other activities see each write of the field at once. */
public interface Volatile extends FieldAnnotation { }
