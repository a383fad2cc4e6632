package x10.compiler;

import x10.lang.annotations.*;

/**
 * The field of an object is read and written in one step, and all activities see such steps in one order: what was done before a write
 * is visible to every activity that has read what it wrote. A field of a struct type is read and written as any other.
 */
public interface Volatile extends FieldAnnotation { }
