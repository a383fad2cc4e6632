package x10.util;

/** A value of any type as an object. */
public final class Box[T] implements ()=>T {
    /** The value. */
    public val value:T;

    /** A box that holds x. */
    public def this(x:T) { value = x; }
    /** The value. */
    public operator this():T = value;
    /** The hash of the value. */
    public def hashCode():Int = value == null ? 0n : value.hashCode();
    /** The text of the value. */
    public def toString():String = "" + value;
    /** Whether x is an equal value, or a box of one. */
    public def equals(x:Any):Boolean {
        if (value == null) return x == null || x instanceof Box[T] && (x as Box[T]).value == null;
        if (x instanceof Box[T]) return value.equals((x as Box[T]).value);
        return value.equals(x);
    }
}
