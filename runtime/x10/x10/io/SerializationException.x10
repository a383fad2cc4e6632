package x10.io;

/** A value that cannot be written in the form in which places send it, or read from it. */
public class SerializationException extends Exception {
    /** Without a message. */
    public def this() { super(); }
    /** With a message. */
    public def this(message:String) { super(message); }
    /** With what caused it. */
    public def this(cause:CheckedThrowable) { super(cause); }
    /** With a message and what caused it. */
    public def this(message:String, cause:CheckedThrowable) { super(message, cause); }
}
