package x10.regionarray;

/** An operation that needs a bounded region, on one that is not. */
public class UnboundedRegionException extends Exception {
    /** With a message. */
    public def this(message:String) { super(message); }
    /** Without a message. */
    public def this() { super(); }
}
