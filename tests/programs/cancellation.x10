import x10.compiler.CUDA;
import x10.util.CUDAUtilities;
import x10.util.concurrent.AtomicLong;
import x10.util.concurrent.Condition;
import x10.util.concurrent.Latch;
import x10.util.concurrent.Lock;
import x10.util.concurrent.Future;
import x10.xrx.Runtime;

/** Jobs that `Runtime.cancelAll` ends, whatever their activities do at that time and wherever they are. */
public class cancellation {
    /** Counts what happens at a place. */
    static class Count {
        val value = new AtomicLong();
    }
    static val counts = PlaceLocalHandle.make[Count](Place.places(), () => new Count());

    static def count() { counts().value.incrementAndGet(); }
    static def total():Long {
        var sum:Long = 0;
        for (p in Place.places()) sum += at (p) counts().value.get();
        return sum;
    }
    static def last() = Place.places()(Place.numPlaces() - 1);

    /** Whether what was raised is a cancellation, or has one in it. */
    static def isCancellation(e:CheckedThrowable):Boolean {
        if (e instanceof CancellationException) return true;
        if (e instanceof MultipleExceptions) {
            for (inner in (e as MultipleExceptions).exceptions) if (isCancellation(inner)) return true;
        }
        return false;
    }
    static def has(e:CheckedThrowable, text:String):Boolean {
        if (e instanceof MultipleExceptions) {
            for (inner in (e as MultipleExceptions).exceptions) if (has(inner, text)) return true;
            return false;
        }
        return text.equals(e.getMessage());
    }
    static def outcome(watcher:Runtime.Watcher):String {
        try {
            watcher.await();
        } catch (e:Exception) {
            return isCancellation(e) ? "cancelled" : "failed: " + e;
        }
        return "ended";
    }

    /** Waits until as much was counted. */
    static def reach(least:Long) { while (total() < least) System.sleep(1); }

    /** Submits a job that counts as soon as it is where it stays, and cancels it there. */
    static def cancel(name:String, job:()=>void) {
        val before = total();
        val watcher = Runtime.submit(job);
        reach(before + 1);
        Runtime.cancelAll().await();
        Console.OUT.println(name + ": " + outcome(watcher));
    }

    static def tree(depth:Long):void {
        if (depth == 0) return;
        finish {
            async tree(depth - 1);
            tree(depth - 1);
        }
    }

    /** Kernels, on an accelerator if there is one: those in flight end first. */
    static def kernels() {
        val topology = PlaceTopology.getTopology();
        val place = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val out = CUDAUtilities.makeGlobalRail[Int](place, 256);
        cancel("kernels", () => {
            count();
            while (true) finish async at (place) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..255n) clocked async {
                        out(thread) = out(thread) + 1n;
                    }
                }
            }
        });
        val found = new Rail[Int](256);
        finish Rail.asyncCopy(out, 0, found, 0, 256);
        var same:Boolean = found(0) > 0n;
        for (value in found) same &= value == found(0);
        Console.OUT.println("whole: " + same);
        CUDAUtilities.deleteGlobalRail(out);
    }

    static def whatRuns() {
        cancel("sleep", () => { count(); System.sleep(1000000); });
        cancel("sleep elsewhere", () => { at (last()) { count(); System.sleep(1000000); } });
        cancel("sleep elsewhere in an async", () => { at (last()) async { count(); System.sleep(1000000); } });
        cancel("there and back", () => { at (last()) at (Place.FIRST_PLACE) { count(); System.sleep(1000000); } });
        cancel("loop of finishes", () => { count(); while (true) finish { async { } async { } } });
        cancel("tree of activities", () => { count(); while (true) tree(8); });
        cancel("loop of ats", () => { count(); while (true) at (last()) { } });
        cancel("loop of asyncs elsewhere", () => { count(); while (true) finish at (last()) async { } });
        cancel("probe", () => { count(); while (true) Runtime.probe(); });
        cancel("everywhere", () => {
            finish for (p in Place.places()) at (p) async { count(); while (true) finish for (q in Place.places()) at (q) async { } }
        });
        cancel("uncounted", () => { finish { @x10.compiler.Uncounted async System.sleep(1000000); count(); System.sleep(1000000); } });
    }

    static def whatWaits() {
        val never = new Latch();
        cancel("latch", () => { count(); never.await(); });
        cancel("when", () => { count(); when (never()) { } });
        cancel("future", () => { count(); Future.make[Long](() => { never.await(); return 1; }).force(); });
        val lock = new Lock();
        lock.lock();
        cancel("lock", () => { count(); lock.lock(); });
        lock.unlock();
        cancel("clock", () => {
            clocked finish {
                clocked async { count(); never.await(); }
                Clock.advanceAll();
            }
        });
        cancel("clock elsewhere", () => {
            val clock = Clock.make();
            at (last()) async clocked(clock) { count(); while (true) clock.advance(); }
            while (true) clock.advance();
        });
        cancel("job of a job", () => { Runtime.submit(() => { count(); never.await(); }).await(); });
        cancel("condition", () => { count(); new Condition().await(); });
    }

    /** What has not begun never begins: all threads are busy until the job is cancelled. */
    static def whatIsQueued() {
        val go = new AtomicLong();
        val begun = new AtomicLong();
        val before = total();
        val watcher = Runtime.submit(() => {
            finish {
                for (1..10000) async {
                    begun.incrementAndGet();
                    while (go.get() == 0) { }
                }
                count();
                while (go.get() == 0) { }
            }
        });
        reach(before + 1);
        Runtime.cancelAll().await();
        go.set(1);
        Console.OUT.println("queued: " + outcome(watcher) + " " + (begun.get() < 10000));
    }

    static def exceptions() {
        val ready = new AtomicLong();
        val watcher = Runtime.submit(() => {
            finish {
                async throw new Exception("of the program");
                at (last()) async throw new Exception("of another place");
                async { ready.incrementAndGet(); System.sleep(1000000); }
            }
        });
        while (ready.get() == 0) System.sleep(1);
        System.sleep(20);
        Runtime.cancelAll().await();
        try {
            watcher.await();
        } catch (e:Exception) {
            Console.OUT.println("mixed: " + isCancellation(e) + " " + has(e, "of the program"));
        }
    }

    /** Handlers of a cancelled activity may use atomic sections, and hold nothing afterwards. */
    static def cleanup() {
        val ended = new Latch();
        val lock = new Lock();
        cancel("cleanup", () => {
            lock.lock();
            try {
                count();
                System.sleep(1000000);
            } finally {
                lock.unlock();
                atomic { }
                when (true) { }
                ended.release();
            }
        });
        ended.await();
        Console.OUT.println("free: " + lock.tryLock());
        lock.unlock();
        // What swallows the exception gets the next one.
        val times = new AtomicLong();
        cancel("stubborn", () => {
            count();
            for (1..3) try { System.sleep(1000000); } catch (CancellationException) { times.incrementAndGet(); }
            async { }
        });
        Console.OUT.println("times: " + times.get());
    }

    static def several() {
        Runtime.cancelAll().await();
        val none = new Rail[Runtime.Watcher](4, (Long) => Runtime.cancelAll());
        for (watcher in none) watcher.await();
        val before = total();
        val jobs = new Rail[Runtime.Watcher](20, (i:Long) => Runtime.submit(() => {
            at (Place.places()(i % Place.numPlaces())) { count(); System.sleep(1000000); }
        }));
        reach(before + 20);
        finish for (p in Place.places()) at (p) async Runtime.cancelAll().await();
        var cancelled:Long = 0;
        for (job in jobs) if ("cancelled".equals(outcome(job))) cancelled++;
        Console.OUT.println("several: " + cancelled);
        // A job that cancels all is cancelled itself; what it submits then is not.
        val later = new AtomicLong();
        val own = Runtime.submit(() => {
            Runtime.cancelAll();
            Runtime.submit(() => { finish async later.incrementAndGet(); });
            async { later.addAndGet(100); }
        });
        Console.OUT.println("own: " + outcome(own));
        while (later.get() == 0) System.sleep(1);
        Console.OUT.println("later: " + later.get());
        // A job that starts at once, before the caller has gone on, is cancelled as well.
        val early = Runtime.submit(() => { System.sleep(1000000); });
        Runtime.cancelAll();
        Console.OUT.println("early: " + outcome(early));
    }

    static def others() {
        // Activities of no job continue.
        val go = new Latch();
        var reached:Long = 0;
        finish {
            async { go.await(); }
            at (last()) async { System.sleep(30); at (Place.FIRST_PLACE) count(); }
            Runtime.cancelAll().await();
            reached = 1;
            go.release();
        }
        Console.OUT.println("main: " + reached);
        val sum = new AtomicLong();
        val after = Runtime.submit(() => {
            finish for (p in Place.places()) at (p) async { tree(10); System.sleep(1); count(); }
            finish for (i in 1..1000) async sum.addAndGet(i);
        });
        Console.OUT.println("after: " + outcome(after) + " " + sum.get());
    }

    public static def main(Rail[String]) {
        whatRuns();
        whatWaits();
        whatIsQueued();
        kernels();
        exceptions();
        cleanup();
        several();
        others();
    }
}
