package x10.compiler;

import x10.lang.annotations.*;

/** The method may run at any place. */
public interface Global extends MethodAnnotation, ClassAnnotation { }
