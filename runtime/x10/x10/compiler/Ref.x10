package x10.compiler;

/** Something that has an identity. */
public interface Ref[T] {
    /** The identity. */
    public property id():T;
}
