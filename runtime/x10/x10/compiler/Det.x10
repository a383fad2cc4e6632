package x10.compiler;

import x10.lang.annotations.*;

/** What it marks gives the same result however its activities are run. */
public interface Det extends MethodAnnotation, StatementAnnotation { }
