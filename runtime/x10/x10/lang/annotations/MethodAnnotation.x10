package x10.lang.annotations;

/** An annotation of a method or constructor. */
public interface MethodAnnotation extends Annotation { }
