package x10.compiler;

import x10.lang.annotations.*;

/** A class of another language; the reference compiler's mechanism. */
public interface NativeClass(lang:String, packageName:String, className:String) extends ClassAnnotation { }
