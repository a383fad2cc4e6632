package x10.compiler;

import x10.lang.annotations.*;

/** A class of another language that stands for this one; apg has its own. */
public interface NativeClass(lang:String, packageName:String, className:String) extends ClassAnnotation { }
