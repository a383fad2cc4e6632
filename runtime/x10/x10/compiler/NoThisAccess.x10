package x10.compiler;

import x10.lang.annotations.*;

/** The method does not use `this`, so that a constructor may call it. */
public interface NoThisAccess extends MethodAnnotation { }
