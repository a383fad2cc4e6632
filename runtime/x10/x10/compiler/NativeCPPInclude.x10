package x10.compiler;

import x10.lang.annotations.*;

/** A C++ header that native code uses; apg includes none. */
public interface NativeCPPInclude(include:String) extends ClassAnnotation { }
