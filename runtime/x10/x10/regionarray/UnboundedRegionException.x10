package x10.regionarray;

/** An operation that needs a bounded region was called on an unbounded one. */
public class UnboundedRegionException extends Exception {
    /** With a message. */
    public def this(message:String) { super(message); }
    /** Without a message. */
    public def this() { super(); }
}
