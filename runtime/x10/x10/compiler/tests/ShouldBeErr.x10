package x10.compiler.tests;

import x10.lang.annotations.*;

/** X10's compiler reports nothing here, though it should. */
public interface ShouldBeErr extends MethodAnnotation, ClassAnnotation, FieldAnnotation, ImportAnnotation, PackageAnnotation, TypeAnnotation, ExpressionAnnotation, StatementAnnotation, FormalAnnotation { }
