package x10.lang.annotations;

/** An annotation of an import. */
public interface ImportAnnotation extends Annotation { }
