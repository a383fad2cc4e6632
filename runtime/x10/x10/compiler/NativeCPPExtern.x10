package x10.compiler;

import x10.lang.annotations.*;

/** A function of C++; the reference compiler's mechanism. */
public interface NativeCPPExtern extends MethodAnnotation { }
