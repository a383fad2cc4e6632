package x10.compiler;

import x10.lang.annotations.*;

/** The method never returns: it always throws. */
public interface NoReturn extends MethodAnnotation { }
