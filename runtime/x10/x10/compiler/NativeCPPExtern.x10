package x10.compiler;

import x10.lang.annotations.*;

/** A C++ function. */
public interface NativeCPPExtern extends MethodAnnotation { }
