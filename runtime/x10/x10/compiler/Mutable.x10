package x10.compiler;

import x10.lang.annotations.*;

/** Objects of the class change. */
public interface Mutable extends ClassAnnotation { }
