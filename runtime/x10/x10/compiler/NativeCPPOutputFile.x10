package x10.compiler;

import x10.lang.annotations.*;

/** A file that native code needs; apg copies none. */
public interface NativeCPPOutputFile(file:String) extends ClassAnnotation { }
