package x10.util;

/** Types with comparison operators. */
public interface Ordered[T] {
    /** Whether this is less than that. */
    operator this < (that:T):Boolean;
    /** Whether this is greater than that. */
    operator this > (that:T):Boolean;
    /** Whether this is at most that. */
    operator this <= (that:T):Boolean;
    /** Whether this is at least that. */
    operator this >= (that:T):Boolean;
}
