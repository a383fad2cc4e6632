package x10.compiler;

import x10.lang.annotations.*;

/** The object may lie inside its owner. */
public interface Embed extends FieldAnnotation, StatementAnnotation, ExpressionAnnotation { }
