package x10.compiler;

import x10.lang.annotations.*;

/** A method whose value a compiler option decides. */
public interface CompileTimeConstant(option:String) extends MethodAnnotation { }
