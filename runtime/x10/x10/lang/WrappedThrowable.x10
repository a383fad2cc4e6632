package x10.lang;

/** An exception around something that was thrown and is none. */
public class WrappedThrowable extends Exception {
    /** Around nothing. */
    public def this() { super(); }
    /** Around cause. */
    public def this(cause:CheckedThrowable) { super(cause); }
    /** Around cause, with a message. */
    public def this(message:String, cause:CheckedThrowable) { super(message, cause); }
}
