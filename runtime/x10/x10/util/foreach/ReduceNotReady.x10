package x10.util.foreach;

/** A Reducer was asked for the result of a loop that has not run. */
public class ReduceNotReady extends Exception {
    /** Without a message. */
    public def this() { super(); }
}
