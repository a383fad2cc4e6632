package x10.compiler;

import x10.lang.annotations.*;

/** Values are passed by reference. */
public interface ByRef extends ClassAnnotation { }
