package x10.compiler;

import x10.lang.annotations.*;

/** Instances change. */
public interface Mutable extends ClassAnnotation { }
