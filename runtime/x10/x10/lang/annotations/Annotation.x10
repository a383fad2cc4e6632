package x10.lang.annotations;

/** The root of all annotations. */
public interface Annotation { }
