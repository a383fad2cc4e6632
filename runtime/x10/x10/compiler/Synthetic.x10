package x10.compiler;

import x10.lang.annotations.*;

/** Made by a tool. */
public interface Synthetic extends ClassAnnotation, FieldAnnotation, MethodAnnotation { }
