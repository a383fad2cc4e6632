package x10.util.concurrent;

import x10.compiler.Intrinsic;
import x10.io.Unserializable;

/** A lock of one place: one activity has it at a time, and may take it again. */
public class Lock implements Unserializable {
    private val handle:Long;

    /** A lock that nobody has. */
    public def this() { handle = make(); }

    /** Takes it; waits while another activity has it. */
    public def lock():void { enter(handle); }
    /** Takes it if no other activity has it; whether this one has it now. */
    public def tryLock():Boolean = tryEnter(handle);
    /** Gives it back; raises an IllegalOperationException if this activity does not have it. */
    public def unlock():void { exit(handle); }
    /** How often this activity has taken it. */
    public def getHoldCount():Int = holdCount(handle);

    @Intrinsic("rt.lock_make") private static native def make():Long;
    @Intrinsic("rt.lock_enter") private static native def enter(handle:Long):void;
    @Intrinsic("rt.lock_try") private static native def tryEnter(handle:Long):Boolean;
    @Intrinsic("rt.lock_exit") private static native def exit(handle:Long):void;
    @Intrinsic("rt.lock_hold_count") private static native def holdCount(handle:Long):Int;
}
