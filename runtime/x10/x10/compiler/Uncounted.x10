package x10.compiler;

import x10.lang.annotations.*;

/** On an `async`: no finish waits for it. */
public interface Uncounted extends StatementAnnotation { }
