package x10.lang;

import x10.compiler.Intrinsic;
import x10.compiler.Uncounted;

/** The process, its time and its environment. */
public class System {
    /** Milliseconds since 1970. */
    @Intrinsic("rt.current_time_millis") public static native def currentTimeMillis():Long;
    /** Nanoseconds since some moment, for differences. */
    @Intrinsic("rt.nano_time") public static native def nanoTime():Long;
    @Intrinsic("rt.set_exit_code") private static native def setOwnExitCode(code:Int):void;
    /** Sets the status that the program ends with, which is that of the first place. */
    public static def setExitCode(code:Int):void {
        if (here == Place.FIRST_PLACE) setOwnExitCode(code);
        else at (Place.FIRST_PLACE) setOwnExitCode(code);
    }
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
    public static def identityToString(o:Any):String = o.typeName() + "@" + (identityHashCode(o) as UInt).toHexString();
    /** Whether both are the same object. */
    public static def identityEquals(a:Any, b:Any):Boolean = a == b;
    /** Lets other activities run for this many milliseconds. */
    public static def sleep(millis:Long):Boolean { sleepFor(millis); return true; }
    /** The same as sleep. */
    public static def threadSleep(millis:Long):Boolean = sleep(millis);
    @Intrinsic("rt.sleep") private static native def sleepFor(millis:Long):void;
    /** The names and values of the environment. */
    public static def getenv():x10.util.Map[String,String] {
        val all = new x10.util.HashMap[String,String]();
        for (line in environment().split("\0")) {
            val end = line.indexOf('=');
            if (end > 0n) all.put(line.substring(0n, end), line.substring(end + 1n));
        }
        return all;
    }
    @Intrinsic("rt.environment") private static native def environment():String;
    /** The name of the run-time type. */
    public static def identityTypeName(o:Any):String = o.typeName();
    /** Ends a place at once. */
    public static def killThere(victim:Place):void { at (victim) @Uncounted async killHere(); }
    /** Asks for more places: how many there will be. The number of places of a program does not change, so there are none. */
    public static def addPlaces(newPlaces:Long):Long = 0;
    /** As addPlaces. */
    public static def addPlacesAndWait(newPlaces:Long, timeout:Long):Long = 0;
    /** Runs handler for each place that is added; none ever is. */
    public static def registerPlaceAddedHandler(handler:(Place)=>void):void { }
    /** Runs handler for each place that dies while the program lives on; a program ends when a place dies. */
    public static def registerPlaceRemovedHandler(handler:(Place)=>void):void { }
}
