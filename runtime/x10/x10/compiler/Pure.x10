package x10.compiler;

import x10.lang.annotations.*;

/** The method has no effect and reads nothing that changes, so that kernels may call it before their launch. */
public interface Pure extends MethodAnnotation { }
