package x10.compiler;

import x10.lang.annotations.*;

/** The method's guard is completed by what its body needs. */
public interface InferGuard extends MethodAnnotation { }
