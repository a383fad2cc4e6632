package x10.compiler;

import x10.lang.annotations.*;

/** Asks that the method be in the header of generated code. */
public interface Header extends MethodAnnotation { }
