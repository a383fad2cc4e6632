package x10.compiler;

/**
 * Marks a native member of the class library whose code the compiler or the runtime provides.
 * The name is "op.NAME" for a machine operation, "rt.NAME" for an entry of the runtime's table,
 * or one of the few that the compiler expands itself ("rail.get", "kernel.barrier", ...).
 */
public interface Intrinsic(name:String) extends x10.lang.annotations.MethodAnnotation, x10.lang.annotations.FieldAnnotation { }
