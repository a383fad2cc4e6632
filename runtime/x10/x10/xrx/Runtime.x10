package x10.xrx;

import x10.compiler.Intrinsic;
import x10.compiler.Uncounted;
import x10.io.Deserializer;
import x10.io.Serializer;
import x10.io.Unserializable;
import x10.util.Map;
import x10.util.concurrent.Condition;

/** What programs may ask of the machinery that runs them. */
public final class Runtime {
    /** How many threads run activities at this place, as long as all activities that are ready get on. */
    public static NTHREADS:Int = workerCount();
    /** How many threads there can be at this place: more are started while activities are ready and all threads are busy with others. */
    public static MAX_THREADS:Int = maxWorkerCount();
    /** Whether activities never change their threads. */
    public static STATIC_THREADS:Boolean = false;
    /** 0: the program ends when a place dies. */
    public static RESILIENT_MODE:Int = 0n;
    /** Whether cancelAll works. */
    public static CANCELLABLE:Boolean = false;
    /** The names and values of the environment. */
    public static env:Map[String,String] = System.getenv();

    /** The number of the thread that runs this activity, from 0 to MAX_THREADS - 1. */
    @Intrinsic("rt.worker_id") public static native def workerId():Int;
    /** How many activities wait to begin, or to go on, in the queue of the thread that runs this one: whether it is worth while to start more. */
    @Intrinsic("rt.surplus_activities") public static native def surplusActivityCount():Int;
    @Intrinsic("rt.worker_count") private static native def workerCount():Int;
    @Intrinsic("rt.max_worker_count") private static native def maxWorkerCount():Int;
    /** Lets messages and other activities come forward. */
    @Intrinsic("rt.probe") public static native def probe():void;
    /** The same as probe. */
    public static def x10rtProbe():void { probe(); }
    /** The same as probe: this activity may go on at once. */
    public static def x10rtBlockingProbe():void { probe(); }
    /** Runs body with a finish around it. */
    public static def runFinish(body:()=>void):void { finish body(); }
    /** Starts body as an activity here, of the finish around the call. */
    public static def runAsync(body:()=>void):void { async body(); }
    /** Starts body as an activity here that nothing waits for. */
    public static def runUncountedAsync(body:()=>void):void { @Uncounted async body(); }
    /** The number of this place. */
    public static def hereInt():Int = here.id as Int;
    /** The number of this place. */
    public static def hereLong():Long = here.id;
    /** Prints the end of a line on standard error. */
    public static def println():void { Console.ERR.println(); }
    /** Prints a value as a line on standard error. */
    public static def println(any:Any):void { Console.ERR.println(any); }
    /** Prints fmt with an argument put in as a line on standard error. */
    public static def printf[T](fmt:String, arg:T):void { Console.ERR.printf(fmt, arg); }
    /** The place of this activity. */
    public static def home():Place = here;
    /** How many threads run activities at this place. */
    public static def poolSize():Int = workerCount();
    /** Lets other activities run for this many milliseconds. */
    public static def sleep(millis:Long):Boolean = System.sleep(millis);
    /** The same as sleep. */
    public static def threadSleep(millis:Long):Boolean = System.sleep(millis);
    /** Says that this activity is about to wait for something outside. Activities that wait never hold up others here. */
    public static def increaseParallelism():void { }
    /** Says that n activities do not wait any more. */
    public static def decreaseParallelism(n:Int):void { }
    /** A copy of o and of all that it refers to. */
    public static def deepCopy[T](o:T):T {
        val out = new Serializer();
        out.writeAny(o);
        return new Deserializer(out.toRail()).readAny() as T;
    }

    /** Starts job as an activity here that nothing waits for. */
    public static def submitUncounted(job:()=>void):void { @Uncounted async job(); }
    /** Starts job as an activity here, with a finish of its own. */
    public static def submit(job:()=>void):Watcher {
        val watcher = new Watcher();
        submitUncounted(() => {
            try { finish async job(); } catch (e:Exception) { watcher.raise(e); } finally { watcher.release(); }
        });
        return watcher;
    }
    /** Ends all activities. This runtime cannot: see CANCELLABLE. */
    public static def cancelAll():Watcher { throw new UnsupportedOperationException("activities cannot be cancelled from outside"); }

    /** Waits for what submit started. */
    public static final class Watcher extends Condition implements Unserializable {
        private var failure:Exception = null;

        def this() { super(); }

        /** Notes what went wrong. */
        public def raise(t:Exception):void { failure = t; }
        /** Waits for the end of the activity, and raises what went wrong in it. */
        public def await():void {
            super.await();
            if (failure != null) throw failure;
        }
        /** Waits at most timeout nanoseconds. */
        public def await(timeout:Long):void {
            super.await(timeout);
            if (failure != null) throw failure;
        }
        /** Asks the activity to end: it does not. */
        public def cancel():void { }
    }

    /** Which kind of memory a rail is made in. */
    public static class MemoryAllocator {
        /** Any memory. */
        public static DEFAULT_ALLOCATOR:MemoryAllocator = new MemoryAllocator(false);
        private static SIBLINGS:MemoryAllocator = new MemoryAllocator(true);
        private val congruent:Boolean;

        private def this(congruent:Boolean) { this.congruent = congruent; }

        /** Whether rails may be made in large pages on demand: the system decides. */
        public static def hugePagesAvailable():Boolean = false;
        /** Whether a rail can be found from another place, where the same was made: see Unsafe.getCongruentSibling. */
        public static def congruentAvailable():Boolean = true;
        /** The memory that is nearest to what is wanted. */
        public static def requestAllocator(hugePages:Boolean, congruent:Boolean):MemoryAllocator =
            congruent ? SIBLINGS : DEFAULT_ALLOCATOR;
        /** The memory that is wanted, or an OutOfMemoryError if there is none. */
        public static def requireAllocator(hugePages:Boolean, congruent:Boolean):MemoryAllocator {
            if (hugePages) throw new OutOfMemoryError("there is no memory of large pages");
            return requestAllocator(hugePages, congruent);
        }
        /** Notes a rail that was just made. */
        public def allocated(rail:Any):void { if (congruent) Congruent.add(rail); }
    }
}
