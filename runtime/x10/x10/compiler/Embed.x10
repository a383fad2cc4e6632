package x10.compiler;

import x10.lang.annotations.*;

/** Asks that an object be part of the one that refers to it. */
public interface Embed extends FieldAnnotation, StatementAnnotation, ExpressionAnnotation { }
