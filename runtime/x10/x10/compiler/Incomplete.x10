package x10.compiler;

import x10.lang.annotations.*;

/** Not finished. */
public interface Incomplete extends MethodAnnotation, ClassAnnotation { }
