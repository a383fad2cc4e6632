package x10.lang.annotations;

/** An annotation of a field. */
public interface FieldAnnotation extends Annotation { }
