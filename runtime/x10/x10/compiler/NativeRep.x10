package x10.compiler;

import x10.lang.annotations.*;

/** How a class is represented in another language; the reference compiler's mechanism. */
public interface NativeRep(lang:String, referencedType:String, constructedType:String, rtt:String) extends ClassAnnotation { }
