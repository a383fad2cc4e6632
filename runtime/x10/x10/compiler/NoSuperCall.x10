package x10.compiler;

import x10.lang.annotations.*;

/** The method does not call that of the superclass. */
public interface NoSuperCall extends MethodAnnotation { }
