package x10.compiler;

import x10.lang.annotations.*;

/** Made by a compiler. */
public interface Synthetic extends ClassAnnotation, FieldAnnotation, MethodAnnotation { }
