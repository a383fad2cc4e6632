package x10.compiler.tests;

import x10.lang.annotations.*;

/** X10's compiler reports an error or a warning here, wrongly. */
public interface ShouldNotBeERR extends MethodAnnotation, ClassAnnotation, FieldAnnotation, ImportAnnotation, PackageAnnotation, TypeAnnotation, ExpressionAnnotation, StatementAnnotation, FormalAnnotation { }
