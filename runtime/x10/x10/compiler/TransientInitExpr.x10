package x10.compiler;

import x10.lang.annotations.*;

/** What a transient field holds where its object arrives. */
public interface TransientInitExpr(init:Any) extends SuppressTransientError { }
