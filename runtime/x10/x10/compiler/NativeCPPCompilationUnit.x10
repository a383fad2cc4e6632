package x10.compiler;

import x10.lang.annotations.*;

/** A C++ file that native code needs; apg compiles none. */
public interface NativeCPPCompilationUnit(unit:String) extends ClassAnnotation { }
