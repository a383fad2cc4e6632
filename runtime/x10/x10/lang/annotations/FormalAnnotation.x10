package x10.lang.annotations;

/** An annotation of a formal parameter. */
public interface FormalAnnotation extends Annotation { }
