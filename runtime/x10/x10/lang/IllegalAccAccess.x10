package x10.lang;

/** An accumulator that was read where it may only be added to. */
public final class IllegalAccAccess extends Exception {
    /** Without a message. */
    public def this() { super(); }
}
