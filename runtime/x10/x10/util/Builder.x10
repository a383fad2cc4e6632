package x10.util;

/** Makes a U of parts, each a T. */
public interface Builder[T,U] {
    /** Adds a part. */
    public def add(e:T):Builder[T,U];
    /** What the parts make. */
    public def result():U;
}
