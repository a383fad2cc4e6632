package x10.compiler.tests;

import x10.lang.annotations.*;

/** An error should be reported here and is not. */
public interface ShouldBeErr extends MethodAnnotation, ClassAnnotation, FieldAnnotation, ImportAnnotation, PackageAnnotation, TypeAnnotation, ExpressionAnnotation, StatementAnnotation { }
