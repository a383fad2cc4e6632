package x10.compiler;

import x10.lang.annotations.ExpressionAnnotation;
import x10.lang.annotations.StatementAnnotation;
import x10.xrx.Runtime;

/** `@Profile(prof) at (p) ...` tells prof how many bytes are sent to p, and how long that takes. */
public interface Profile(prof:Runtime.Profile) extends StatementAnnotation, ExpressionAnnotation { }
