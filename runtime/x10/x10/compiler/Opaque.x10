package x10.compiler;

import x10.lang.annotations.*;

/** The method is computed outside of what the compiler sees. */
public interface Opaque(name:String) extends MethodAnnotation { }
