package x10.util;

/** Three values. */
public struct Triple[T,U,V] {
    /** The first value. */
    public val first:T;
    /** The second value. */
    public val second:U;
    /** The third value. */
    public val third:V;

    /** These three. */
    public def this(first:T, second:U, third:V):Triple[T,U,V] {
        this.first = first;
        this.second = second;
        this.third = third;
    }
    /** The values in parentheses. */
    public def toString():String = "(" + first + ", " + second + ", " + third + ")";
}
