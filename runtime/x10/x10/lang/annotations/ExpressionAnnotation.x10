package x10.lang.annotations;

/** An annotation of an expression. */
public interface ExpressionAnnotation extends Annotation { }
