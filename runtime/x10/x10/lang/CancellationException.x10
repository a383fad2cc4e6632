package x10.lang;

/** Work that was given up. */
public class CancellationException extends DeadPlaceException {
    /** Without a message. */
    public def this() { super(); }
    /** With a message. */
    public def this(message:String) { super(message); }
}
