package x10.compiler;

import x10.lang.annotations.*;

/** The variable does not outlive the statement that sets it. */
public interface Ephemeral extends StatementAnnotation { }
