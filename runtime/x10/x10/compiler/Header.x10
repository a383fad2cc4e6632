package x10.compiler;

import x10.lang.annotations.*;

/** The body may stand in a header. */
public interface Header extends MethodAnnotation { }
