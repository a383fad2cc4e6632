package x10.compiler;

import x10.lang.annotations.*;

/** On an `async` or `at`: what it does is over when it ends. */
public interface Ephemeral extends StatementAnnotation { }
