package x10.compiler.tests;

import x10.lang.annotations.*;

/** An error is expected here. */
public interface ERR extends MethodAnnotation, ClassAnnotation, FieldAnnotation, ImportAnnotation, PackageAnnotation, TypeAnnotation, ExpressionAnnotation, StatementAnnotation { }
