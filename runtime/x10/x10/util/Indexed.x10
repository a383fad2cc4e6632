package x10.util;

/** A container whose values have places, counted from 0. */
public interface Indexed[T] extends Container[T], (Long)=>T {
    /** The value at index. */
    public operator this(index:Long):T;
}
