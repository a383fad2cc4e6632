package x10.compiler;

import x10.lang.annotations.*;

/** Code of another language in place of X10's; the reference compiler's mechanism. */
public interface Native(lang:String, code:String) extends NoInferType, StatementAnnotation, MethodAnnotation, FieldAnnotation, ClassAnnotation, ExpressionAnnotation, ImportAnnotation { }
