package x10.io;

/** A value could not be sent, or not be made of what was sent. */
public class SerializationException extends Exception {
    /** Without a message. */
    public def this() { super(); }
    /** With what caused it. */
    public def this(cause:CheckedThrowable) { super(cause); }
    /** With a message. */
    public def this(message:String) { super(message); }
    /** With a message and what caused it. */
    public def this(message:String, cause:CheckedThrowable) { super(message, cause); }
}
