package x10.util.concurrent;

/** A gate that is closed until it is opened once. */
public class Latch extends Monitor implements ()=>Boolean {
    private var state:Boolean = false;

    /** A closed gate. */
    public def this() { super(); }

    /** Waits until the gate is open. */
    public def await():void { when (state) { } }
    /** Opens the gate. */
    public def release():void { atomic state = true; }
    /** Whether the gate is open. */
    public operator this():Boolean = state;
}
