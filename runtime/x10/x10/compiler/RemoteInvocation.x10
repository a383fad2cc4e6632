package x10.compiler;

import x10.lang.annotations.*;

/** A remote activity whose message type has this in its name. */
public interface RemoteInvocation(suffix:String) extends NoInline, ExpressionAnnotation, StatementAnnotation { }
