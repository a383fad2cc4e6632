package x10.lang;

import x10.compiler.Intrinsic;

/** A barrier that activities register with; those registered move from phase to phase together. */
public final class Clock(name:String) {
    private val handle:Long;

    private def this(name:String) {
        property(name);
        this.handle = create();
    }
    /** A new clock, with the current activity registered. */
    public static def make():Clock = new Clock("");
    /** A new clock with a name, with the current activity registered. */
    public static def make(name:String):Clock = new Clock(name);

    @Intrinsic("rt.clock_make") private static native def create():Long;
    @Intrinsic("rt.clock_advance") private static native def advance(handle:Long):void;
    @Intrinsic("rt.clock_resume") private static native def resume(handle:Long):void;
    @Intrinsic("rt.clock_drop") private static native def drop(handle:Long):void;
    @Intrinsic("rt.clock_registered") private static native def registered(handle:Long):Boolean;
    @Intrinsic("rt.clock_phase") private static native def phase(handle:Long):Int;

    /** Waits until all activities registered with any of this activity's clocks are here too. In a kernel: the block's barrier. */
    @Intrinsic("kernel.barrier") public static native def advanceAll():void;
    /** Tells all of this activity's clocks that it has done its part of the phase. */
    @Intrinsic("rt.clock_resume_all") public static native def resumeAll():void;
    /** Waits until all registered activities have done their part of the phase. */
    public def advance():void { advance(handle); }
    /** Tells the clock that this activity has done its part, and continues. */
    public def resume():void { resume(handle); }
    /** Leaves the clock. */
    public def drop():void { drop(handle); }
    /** Whether this activity is registered. */
    public def registered():Boolean = registered(handle);
    /** Whether this activity is not registered. */
    public def dropped():Boolean = !registered();
    /** The number of the phase. */
    public def phase():Int = phase(handle);
    /** The name. */
    public def toString():String = name.length() == 0n ? "Clock#" + handle : name;
    /** The number of the phase in which a clock is made. */
    public static FIRST_PHASE:Int = 1n;
    /** Whether a is the same clock. */
    public def equals(a:Any):Boolean = a instanceof Clock && (a as Clock).handle == handle;
    /** A hash of the clock. */
    public def hashCode():Int = handle.hashCode();
}
