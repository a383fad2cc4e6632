package x10.compiler;

import x10.lang.annotations.*;

/** On an `async`: it is short and may run at once, and no finish waits for it. */
public interface Immediate(suffix:String) extends Uncounted, StatementAnnotation { }
