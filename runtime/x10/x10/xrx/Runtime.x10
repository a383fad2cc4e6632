package x10.xrx;

import x10.compiler.Intrinsic;

/** What programs may ask of the machinery that runs them. */
public final class Runtime {
    /** How many threads run activities at this place. */
    public static NTHREADS:Int = workerCount();
    /** How many threads there can be at this place. */
    public static MAX_THREADS:Int = workerCount();
    /** Whether activities never change their threads. */
    public static STATIC_THREADS:Boolean = false;
    /** 0: the program ends when a place dies. */
    public static RESILIENT_MODE:Int = 0n;

    /** The number of the thread that runs this activity, from 0 to NTHREADS - 1. */
    @Intrinsic("rt.worker_id") public static native def workerId():Int;
    @Intrinsic("rt.worker_count") private static native def workerCount():Int;
    /** Lets messages and other activities come forward. */
    @Intrinsic("rt.probe") public static native def probe():void;
    /** The number of this place. */
    public static def hereInt():Int = here.id as Int;
    /** The number of this place. */
    public static def hereLong():Long = here.id;
    /** Prints the end of a line on standard error. */
    public static def println():void { Console.ERR.println(); }
    /** Prints a value as a line on standard error. */
    public static def println(any:Any):void { Console.ERR.println(any); }
    /** Prints fmt with an argument put in as a line on standard error. */
    public static def printf(fmt:String, arg:Any):void { Console.ERR.printf(fmt, arg); }
}
