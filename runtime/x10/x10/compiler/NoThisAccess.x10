package x10.compiler;

import x10.lang.annotations.*;

/** A method called in a constructor that does not use `this`. */
public interface NoThisAccess extends MethodAnnotation { }
