package x10.compiler.tests;

import x10.lang.annotations.*;

/** X10's compiler reports an error or a warning here, rightly. */
public interface ERR extends MethodAnnotation, ClassAnnotation, FieldAnnotation, ImportAnnotation, PackageAnnotation, TypeAnnotation, ExpressionAnnotation, StatementAnnotation, FormalAnnotation { }
