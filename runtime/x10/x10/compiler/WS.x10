package x10.compiler;

import x10.lang.annotations.*;

/** The method may be compiled for work stealing; all of apg's activities are stolen, so that it changes nothing. */
public interface WS extends MethodAnnotation { }
