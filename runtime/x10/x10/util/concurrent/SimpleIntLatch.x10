package x10.util.concurrent;

/** A number that is 0 until it is set, for others to wait for. */
public class SimpleIntLatch extends Lock {
    private var value:Int = 0n;

    /** Not set. */
    public def this() { super(); }

    /** Waits until the number is not 0. */
    public def await():void { when (value != 0n) { } }
    /** Sets the number. */
    public def set(v:Int):void { atomic value = v; }
    /** Sets the number. */
    public operator this()=(v:Int):void { set(v); }
    /** The number. */
    public operator this():Int = value;
}
