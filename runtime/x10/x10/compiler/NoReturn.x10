package x10.compiler;

import x10.lang.annotations.*;

/** The method never returns. */
public interface NoReturn extends MethodAnnotation { }
