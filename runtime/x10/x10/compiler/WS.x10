package x10.compiler;

import x10.lang.annotations.*;

/** Compiled for work stealing by the reference compiler. */
public interface WS extends MethodAnnotation { }
