package x10.compiler;

import x10.lang.annotations.*;

/** On the body of an `at`: the body is a kernel, run by the GPU if the place is one. On a method: kernels may call it. */
public interface CUDA extends StatementAnnotation, MethodAnnotation { }
