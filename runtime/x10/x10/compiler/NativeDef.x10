package x10.compiler;

import x10.lang.annotations.*;

/** A definition in another language. */
public interface NativeDef(lang:String) extends MethodAnnotation { }
