package x10.compiler;

import x10.lang.annotations.*;

/** A file to be put beside generated C++; the reference compiler's mechanism. */
public interface NativeCPPOutputFile(file:String) extends ClassAnnotation { }
