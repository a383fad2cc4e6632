package x10.lang;

/** A static field whose initial value could not be computed. */
public class ExceptionInInitializer extends Exception {
    /** Without a message. */
    public def this() { super(); }
    /** With a message. */
    public def this(message:String) { super(message); }
    /** With what caused it. */
    public def this(cause:CheckedThrowable) { super(cause); }
    /** With a message and what caused it. */
    public def this(message:String, cause:CheckedThrowable) { super(message, cause); }
}
