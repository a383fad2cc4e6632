package x10.compiler;

import x10.lang.annotations.*;

/** The method is always put into its callers. */
public interface InlineOnly extends Inline { }
