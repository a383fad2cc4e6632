package x10.compiler;

import x10.lang.annotations.*;

/** A transient field gets this value where its object is copied to. */
public interface TransientInitExpr(init:Any) extends SuppressTransientError { }
