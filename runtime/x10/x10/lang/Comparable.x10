package x10.lang;

/** Types with a total order. */
public interface Comparable[T] {
    /** Negative, zero or positive as this comes before, is equal to or comes after that. */
    def compareTo(that:T):Int;
}
