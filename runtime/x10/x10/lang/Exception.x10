package x10.lang;

/** Something that went wrong and that a program may handle; need not be declared. */
public class Exception extends CheckedException {
    /** Without a message. */
    public def this() { super(); }
    /** With a message. */
    public def this(message:String) { super(message); }
    /** With what caused it. */
    public def this(cause:CheckedThrowable) { super(cause); }
    /** With a message and what caused it. */
    public def this(message:String, cause:CheckedThrowable) { super(message, cause); }
    /** e if it is an Exception, else one around it. */
    public static def ensureException(e:CheckedThrowable):Exception = e instanceof Exception ? e as Exception : new WrappedThrowable(e);
}
