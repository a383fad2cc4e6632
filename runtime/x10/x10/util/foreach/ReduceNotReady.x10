package x10.util.foreach;

/** The result of a Reducer was read, but its loop has not run. */
public class ReduceNotReady extends Exception {
    /** Without a message. */
    public def this() { super(); }
}
