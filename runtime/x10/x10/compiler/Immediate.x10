package x10.compiler;

import x10.lang.annotations.*;

/** On an `async`: it is short and may run at once. */
public interface Immediate extends StatementAnnotation { }
