package x10.lang.annotations;

/** An annotation of a type. */
public interface TypeAnnotation extends Annotation { }
