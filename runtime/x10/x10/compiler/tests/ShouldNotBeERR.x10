package x10.compiler.tests;

import x10.lang.annotations.*;

/** An error is reported here and should not be. */
public interface ShouldNotBeERR extends MethodAnnotation, ClassAnnotation, FieldAnnotation, ImportAnnotation, PackageAnnotation, TypeAnnotation, ExpressionAnnotation, StatementAnnotation { }
