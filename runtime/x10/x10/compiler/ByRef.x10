package x10.compiler;

import x10.lang.annotations.*;

/** Marks a class whose objects are passed by reference to code of another language. */
public interface ByRef extends ClassAnnotation { }
