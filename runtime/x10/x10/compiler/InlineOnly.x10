package x10.compiler;

import x10.lang.annotations.*;

/** The method is always inlined. */
public interface InlineOnly extends Inline { }
