package x10.compiler;

import x10.lang.annotations.*;

/** The same result at every run. */
public interface Det extends MethodAnnotation, StatementAnnotation { }
