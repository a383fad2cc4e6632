package x10.compiler;

import x10.lang.annotations.*;

/** The method's body is not analysed. */
public interface Opaque(name:String) extends MethodAnnotation { }
