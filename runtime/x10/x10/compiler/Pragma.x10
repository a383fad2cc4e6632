package x10.compiler;

import x10.lang.annotations.*;

/** On a `finish`: tells which activities it governs. apg finds out itself; the annotation is accepted. */
public interface Pragma(kind:Int) extends StatementAnnotation { }
