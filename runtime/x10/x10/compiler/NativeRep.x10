package x10.compiler;

import x10.lang.annotations.*;

/** What stands for the class in code of another language; apg has its own. */
public interface NativeRep(lang:String, referencedType:String, constructedType:String, rtt:String) extends ClassAnnotation { }
