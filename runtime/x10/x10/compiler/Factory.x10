package x10.compiler;

/**
 * Marks a native constructor of the class library: `new C[T](args)` is compiled as a call of the static
 * method of this name, with the class's type arguments and the same arguments.
 */
public interface Factory(method:String) extends x10.lang.annotations.MethodAnnotation { }
