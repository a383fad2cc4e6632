package x10.compiler;

import x10.lang.annotations.*;

/** A C++ file that belongs to the class; the reference compiler's mechanism. */
public interface NativeCPPCompilationUnit(unit:String) extends ClassAnnotation { }
