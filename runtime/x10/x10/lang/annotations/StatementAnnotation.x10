package x10.lang.annotations;

/** An annotation of a statement. */
public interface StatementAnnotation extends Annotation { }
