package x10.compiler;

import x10.lang.annotations.*;

/** A method called in a constructor that calls no method of the superclass. */
public interface NoSuperCall extends MethodAnnotation { }
