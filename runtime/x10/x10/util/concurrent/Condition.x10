package x10.util.concurrent;

import x10.io.Unserializable;

/** Something that will be so once, and that activities wait for. */
public class Condition implements Unserializable {
    private var state:Boolean = false;

    /** Not so yet. */
    public def this() { }

    /** It is so: wakes all that wait. */
    public def release():void { atomic state = true; }
    /** Waits until it is so. */
    public def await():void { when (state) { } }
    /** Waits until it is so, at most timeout nanoseconds. */
    public def await(timeout:Long):void {
        val end = System.nanoTime() + timeout;
        while (!complete() && System.nanoTime() < end) System.sleep(1);
    }
    /** Whether it is so. */
    public def complete():Boolean { atomic return state; }
}
