package x10.compiler;

import x10.lang.annotations.*;

/** Asks that a kernel's captured values travel in its parameters. apg decides this itself; the annotation is accepted. */
public interface CUDADirectParams extends StatementAnnotation { }
