package x10.compiler;

import x10.lang.annotations.*;

/** The method may be called while its object is being constructed. */
public interface NonEscaping extends MethodAnnotation { }
