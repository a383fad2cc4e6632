package x10.lang;

/** Types with bitwise operators. */
public interface Bitwise[T] {
    /** Complement. */
    operator ~ this:T;
    /** And. */
    operator this & (that:T):T;
    /** Or. */
    operator this | (that:T):T;
    /** Exclusive or. */
    operator this ^ (that:T):T;
    /** Shift left. */
    operator this << (count:Long):T;
    /** Shift right. */
    operator this >> (count:Long):T;
    /** Shift right, filling with zeros. */
    operator this >>> (count:Long):T;
}
