package x10.lang;

import x10.compiler.Intrinsic;

/** The process, its time and its environment. */
public class System {
    /** Milliseconds since 1970. */
    @Intrinsic("rt.current_time_millis") public static native def currentTimeMillis():Long;
    /** Nanoseconds since some moment, for differences. */
    @Intrinsic("rt.nano_time") public static native def nanoTime():Long;
    /** Sets the status that the program ends with. */
    @Intrinsic("rt.set_exit_code") public static native def setExitCode(code:Int):void;
    /** Ends this place at once. */
    @Intrinsic("rt.kill_here") public static native def killHere():void;
    /** Bytes of the heap in use. */
    @Intrinsic("rt.heap_size") public static native def heapSize():Long;
    /** Collects garbage now. */
    @Intrinsic("rt.gc") public static native def gc():void;
    /** Sets a property of a Java virtual machine. There is none here, as in X10's native programs, so nothing depends on it. */
    public static def setProperty(p:String, v:String):void { }
    /** The value of an environment variable, or null. */
    @Intrinsic("rt.getenv") public static native def getenv(name:String):String;
    /** A number for the identity of an object. */
    @Intrinsic("rt.identity_hash") public static native def identityHashCode(o:Any):Int;
    /** Type and identity. */
    public static def identityToString(o:Any):String = o.typeName() + "@" + identityHashCode(o).toHexString();
    /** Whether both are the same object. */
    public static def identityEquals(a:Any, b:Any):Boolean = a == b;
    /** Lets other activities run for this many milliseconds. */
    public static def sleep(millis:Long):Boolean { sleepFor(millis); return true; }
    /** The same as sleep. */
    public static def threadSleep(millis:Long):Boolean = sleep(millis);
    @Intrinsic("rt.sleep") private static native def sleepFor(millis:Long):void;
}
