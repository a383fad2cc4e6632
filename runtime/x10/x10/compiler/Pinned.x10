package x10.compiler;

import x10.lang.annotations.*;

/** The method must run at the place of its object. */
public interface Pinned extends MethodAnnotation, ClassAnnotation { }
