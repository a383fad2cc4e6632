package x10.xrx;

import x10.compiler.Intrinsic;
import x10.compiler.Uncounted;
import x10.io.Deserializer;
import x10.io.FileReader;
import x10.io.FileWriter;
import x10.io.Reader;
import x10.io.Serializer;
import x10.io.Unserializable;
import x10.io.Writer;
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
    /** Whether threads that have nothing to do go on looking for activities. */
    public static BUSY_WAITING:Boolean = false;
    /** How many threads take in what other places ask for at once: the threads that run activities do. */
    public static NUM_IMMEDIATE_THREADS:Int = 0n;
    /** Whether the number of threads that run activities never changes. */
    public static STABLE_POOL_SIZE:Boolean = false;
    /** Whether there is a message where a thread is started. */
    public static WARN_ON_THREAD_CREATION:Boolean = false;
    /** Whether a finish is always as general as can be. */
    public static STRICT_FINISH:Boolean = false;
    /** Whether cancelAll works. */
    public static CANCELLABLE:Boolean = true;
    /** The names and values of the environment. */
    public static env:Map[String,String] = System.getenv();

    /** What tells this place's process from others, for people: its number and its host. */
    @Intrinsic("rt.process_name") public static native def getName():String;
    /** Starts a command of the shell, whose output is read. Closing the reader waits for its end. Raises an IOException. */
    public static def execForRead(command:String):Reader{self!=null} = FileReader.ofCommand(command);
    /** Starts a command of the shell, whose input is written. Closing the writer waits for its end. Raises an IOException. */
    public static def execForWrite(command:String):Writer{self!=null} = FileWriter.ofCommand(command);
    private static STARTED:Long = System.nanoTime();
    /** When this place began, as System.nanoTime counts. */
    public static def processStartNanos():Long = STARTED;
    /** The number of the thread that runs this activity, from 0 to MAX_THREADS - 1. */
    @Intrinsic("rt.worker_id") public static native def workerId():Int;
    /** How many activities wait to begin, or to go on, in the queue of the thread that runs this one: whether it is worth while to start more. */
    @Intrinsic("rt.surplus_activities") public static native def surplusActivityCount():Int;
    @Intrinsic("rt.worker_count") private static native def workerCount():Int;
    @Intrinsic("rt.max_worker_count") private static native def maxWorkerCount():Int;
    /** Lets messages and other activities come forward; raises a CancellationException if the job of this activity is cancelled. */
    @Intrinsic("rt.probe") public static native def probe():void;
    /** The same as probe. */
    public static def x10rtProbe():void { probe(); }
    /** The same as probe: this activity may go on at once. */
    public static def x10rtBlockingProbe():void { probe(); }
    /** The same as probe: an activity that waits here is not woken by it. */
    public static def x10rtUnblockProbe():void { probe(); }
    /** Runs body at a place, and tells prof how. */
    public static def runAt(place:Place, body:()=>void, prof:Profile):void {
        if (prof == null) at (place) body();
        else @x10.compiler.Profile(prof) at (place) body();
    }
    /** What eval gives at a place; tells prof how. */
    public static def evalAt[T](place:Place, eval:()=>T, prof:Profile):T {
        if (prof == null) return at (place) eval();
        return @x10.compiler.Profile(prof) at (place) eval();
    }
    /** Runs body at a place. */
    public static def runImmediateAt(place:Place, body:()=>void):void { at (place) body(); }
    /** What eval gives at a place. */
    public static def evalImmediateAt[T](place:Place, eval:()=>T):T = at (place) eval();
    /** Starts body as an activity at a place, of the finish around the call; tells prof how. */
    public static def runAsync(place:Place, body:()=>void, prof:Profile):void {
        if (prof == null) at (place) async body();
        else @x10.compiler.Profile(prof) at (place) async body();
    }
    /** Starts body as an activity at a place that nothing waits for; tells prof how. */
    public static def runUncountedAsync(place:Place, body:()=>void, prof:Profile):void {
        if (prof == null) at (place) @Uncounted async body();
        else @x10.compiler.Profile(prof) at (place) @Uncounted async body();
    }
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

    /** A copy of o and of all that it refers to; tells prof how large it is. */
    public static def deepCopy[T](o:T, prof:Profile):T {
        if (prof == null) return deepCopy[T](o);
        val start = System.nanoTime();
        val out = new Serializer();
        out.writeAny(o);
        val bytes = out.toRail();
        prof.bytes += bytes.size;
        val copy = new Deserializer(bytes).readAny() as T;
        prof.serializationNanos += System.nanoTime() - start;
        return copy;
    }

    /** What is sent by `@Profile(prof) at (p) ...`, and how long it takes. What is measured is added. */
    public static class Profile {
        /** The bytes of the values that were sent. */
        public var bytes:Long = 0;
        /** Nanoseconds to write them. */
        public var serializationNanos:Long = 0;
        /** Nanoseconds to send them; of an `at` that waits, also what was done there. */
        public var communicationNanos:Long = 0;

        /** All is 0 again. */
        public def reset():void { bytes = 0; serializationNanos = 0; communicationNanos = 0; }
        /** Before `at` with these values is run; gives when. The compiler calls it. */
        public final def beginAt(values:Rail[Any]):Long {
            val start = System.nanoTime();
            val out = new Serializer();
            out.writeAny(values);
            bytes += out.toRail().size;
            val written = System.nanoTime();
            serializationNanos += written - start;
            return written;
        }
        /** After it. The compiler calls it. */
        public final def endAt(start:Long):void { communicationNanos += System.nanoTime() - start; }
        /** All of it, for people. */
        public def toString():String =
            bytes + " bytes, written in " + serializationNanos + " ns, sent in " + communicationNanos + " ns";
    }

    @Intrinsic("rt.job_epoch") private static native def jobEpoch():Long;
    @Intrinsic("rt.cancel_jobs") private static native def cancelJobs():Long;
    @Intrinsic("rt.cancel_jobs_before") private static native def cancelJobsBefore(epoch:Long):void;
    @Intrinsic("rt.async_job") private static native def asyncJob(job:()=>void, epoch:Long):void;
    @Intrinsic("rt.async_without_job") private static native def asyncWithoutJob(body:()=>void):void;

    /** Starts job as an activity here that nothing waits for. cancelAll cancels it. */
    public static def submitUncounted(job:()=>void):void {
        val epoch = jobEpoch();
        asyncWithoutJob(() => { asyncJob(job, epoch); });
    }
    /** Starts job as an activity here, with a finish of its own. cancelAll cancels it. */
    public static def submit(job:()=>void):Watcher {
        val epoch = jobEpoch();
        return watch(() => { finish asyncJob(job, epoch); });
    }
    /**
     * Cancels the jobs of all places: what submit and submitUncounted have started, with all that those have started.
     * Their activities that have not begun never begin. The others raise a CancellationException at their next async, at,
     * end of a finish, sleep, probe, advance of a clock, or when they wait in a when or for a lock; those that wait there are woken.
     * Activities that belong to no job are not cancelled, nor are jobs that are submitted later. The result waits until all
     * places know; to wait for the end of the jobs, wait for their own watchers.
     */
    public static def cancelAll():Watcher {
        val epoch = cancelJobs();
        return watch(() => { finish for (p in Place.places()) at (p) async cancelJobsBefore(epoch); });
    }
    /** Runs body in an activity that belongs to no job. */
    private static def watch(body:()=>void):Watcher {
        val watcher = new Watcher();
        asyncWithoutJob(() => {
            try { body(); } catch (e:CheckedThrowable) { watcher.raise(Exception.ensureException(e)); } finally { watcher.release(); }
        });
        return watcher;
    }

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
        /** Asks this activity alone to end: it does not. See cancelAll. */
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
