package x10.compiler;

import x10.lang.annotations.*;

/** A C++ header that the class needs; the reference compiler's mechanism. */
public interface NativeCPPInclude(include:String) extends ClassAnnotation { }
