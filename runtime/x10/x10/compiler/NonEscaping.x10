package x10.compiler;

import x10.lang.annotations.*;

/** A method called in a constructor that does not let `this` out. */
public interface NonEscaping extends MethodAnnotation, FieldAnnotation { }
