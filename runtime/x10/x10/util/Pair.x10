package x10.util;

/** Two values. */
public struct Pair[T,U] {
    /** The first. */
    public val first:T;
    /** The second. */
    public val second:U;

    /** The pair of these. */
    public def this(first:T, second:U):Pair[T,U] { this.first = first; this.second = second; }
    /** "(first, second)". */
    public def toString():String = "(" + first + ", " + second + ")";
}
