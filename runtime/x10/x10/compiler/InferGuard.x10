package x10.compiler;

import x10.lang.annotations.*;

/** Asks that the guard of the method be inferred from its body. */
public interface InferGuard extends MethodAnnotation { }
