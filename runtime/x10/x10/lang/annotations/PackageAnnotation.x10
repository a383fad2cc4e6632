package x10.lang.annotations;

/** An annotation of a package. */
public interface PackageAnnotation extends Annotation { }
