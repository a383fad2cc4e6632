package x10.lang;

/** Types with the four arithmetic operators. */
public interface Arithmetic[T] {
    /** This value. */
    operator + this:T;
    /** The negative. */
    operator - this:T;
    /** Sum. */
    operator this + (that:T):T;
    /** Difference. */
    operator this - (that:T):T;
    /** Product. */
    operator this * (that:T):T;
    /** Quotient. */
    operator this / (that:T):T;
}
