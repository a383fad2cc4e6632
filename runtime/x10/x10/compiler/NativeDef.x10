package x10.compiler;

import x10.lang.annotations.*;

/** A method defined in another language; the reference compiler's mechanism. */
public interface NativeDef(lang:String) extends MethodAnnotation { }
