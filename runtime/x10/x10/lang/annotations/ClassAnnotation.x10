package x10.lang.annotations;

/** An annotation of a class, struct or interface. */
public interface ClassAnnotation extends Annotation { }
