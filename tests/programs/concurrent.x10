import x10.util.*;
import x10.util.concurrent.*;
import x10.xrx.Runtime;

/** Atomic variables, locks, latches, conditions and futures. */
public class concurrent {
  static def show(what:String, value:Any) { Console.OUT.println(what + ": " + value); }
  static def raises(what:String, body:()=>void) {
    try { body(); show(what, "nothing raised"); }
    catch (e:Exception) { show(what, e.typeName()); }
  }

  static def atomics() {
    val n = new AtomicInteger(5n);
    show("int", n.getAndIncrement() + " " + n.incrementAndGet() + " " + n.getAndDecrement() + " " + n.decrementAndGet() + " " + n.getAndAdd(10n) + " " + n.addAndGet(-20n) + " " + n);
    show("set", n.compareAndSet(-5n, 7n) + " " + n.compareAndSet(-5n, 8n) + " " + n.get() + " " + n.getAndSet(9n) + " " + n.longValue() + " " + n.doubleValue());
    n.set(Int.MAX_VALUE);
    show("wraps", n.incrementAndGet());
    val l = new AtomicLong();
    val d = new AtomicDouble(0.5);
    val f = new AtomicFloat();
    val b = new AtomicBoolean();
    val winners = new AtomicLong();
    finish for (i in 1..50) async {
      for (k in 1..100) { l.incrementAndGet(); d.addAndGet(0.25); f.getAndIncrement(); }
      if (b.compareAndSet(false, true)) winners.incrementAndGet();
    }
    show("sums", l + " " + d + " " + f + " " + b + " " + winners);
    val r = new AtomicReference[String]("a");
    val old = r.get();
    show("ref", r.compareAndSet(old, "b") + " " + r.compareAndSet(old, "c") + " " + r + " " + r.getAndSet(null) + " " + r.get());
    val top = new AtomicReference[Link]();
    finish for (i in 1..40) async {
      while (true) {
        val seen = top.get();
        if (top.compareAndSet(seen, new Link(i, seen))) break;
      }
    }
    var sum:Long = 0;
    for (var link:Link = top.get(); link != null; link = link.next) sum += link.value;
    show("links", sum);
  }
  static class Link {
    val value:Long;
    val next:Link;
    def this(value:Long, next:Link) { this.value = value; this.next = next; }
  }

  static def locks() {
    val lock = new Lock();
    val count = new Cell[Long](0);
    finish for (i in 1..20) async for (k in 1..50) { lock.lock(); count.value = count.value + 1; lock.unlock(); }
    show("locked", count());
    lock.lock(); lock.lock();
    show("held", lock.getHoldCount() + " " + lock.tryLock() + " " + lock.getHoldCount());
    finish async show("other", lock.tryLock() + " " + lock.getHoldCount());
    lock.unlock(); lock.unlock(); lock.unlock();
    raises("unlock", ()=>{ lock.unlock(); });
    val monitor = new Monitor();
    val ready = new Cell[Long](0);
    finish {
      for (i in 1..10) async { monitor.lock(); while (ready() < 3) monitor.await(); ready.value = ready.value + 1; monitor.unlock(); }
      for (i in 1..3) { monitor.lock(); ready.value = ready.value + 1; monitor.release(); }
    }
    show("monitor", ready());
  }

  static def latches() {
    val latch = new Latch();
    val passed = new AtomicLong();
    finish {
      for (i in 1..100) async { latch.await(); passed.incrementAndGet(); }
      System.sleep(5);
      show("closed", latch() + " " + passed);
      latch.release();
    }
    show("open", latch() + " " + passed);
    val simple = new SimpleLatch();
    finish { async simple.await(); simple.release(); }
    val number = new IntLatch();
    finish { async { number.await(); show("number", number()); } number() = 42n; }
    val condition = new Condition();
    condition.await(2000000);
    show("condition", condition.complete());
    finish { async condition.await(); condition.release(); }
    condition.await(1000000000000);
    show("condition", condition.complete());
    val barrier = new SPMDBarrier(4n);
    val steps = new AtomicLong();
    val wrong = new AtomicLong();
    finish for (i in 1..4) async for (k in 1..20) {
      steps.incrementAndGet();
      barrier.advance();
      if (steps.get() < 4 * k) wrong.incrementAndGet();
      barrier.advance();
    }
    show("barrier", steps + " " + wrong);
  }

  static def fib(n:Long):Long {
    if (n < 2) return n;
    val left = Future.make(()=>fib(n - 1));
    return fib(n - 2) + left();
  }
  static def futures() {
    show("fib", fib(12));
    val failing = Future.make[Long](()=>{ if (here.id >= 0) throw new IllegalStateException("no result"); return 1; });
    raises("failing", ()=>{ failing.force(); });
    show("forced", failing.forced());
    val there = at (Place.places().next(here)) Future.make[String](()=>"from " + (here.id == Place.numPlaces() - 1 ? "the last or the next" : "the next"));
    show("there", there.force().length() > 0n);
    val nested = Future.make(()=>Future.make(()=>7));
    show("nested", nested()());
  }

  /** What the thread of an activity keeps is found again by the activity while it does not wait. */
  static def keepsakes() {
    val storage = new WorkerLocalStorage[String,Long]();
    val wrong = GlobalRef[AtomicLong](new AtomicLong());
    finish for (p in Place.places()) at (p) async for (k in 1..20) async {
      val before = storage.get("k");
      val found = storage.put("k", k) == before && storage.get("k") == k && storage.getOrThrow("k") == k
        && storage.getOrElse("other", -k) == -k && storage.remove("k") == k && storage.get("k") == 0;
      if (!found) at (wrong.home) wrong.getLocalOrCopy().incrementAndGet();
    }
    show("keepsakes", wrong());
    raises("nothing kept", ()=>{ storage.getOrThrow("none"); });
    val ran = new AtomicLong();
    Runtime.runFinish(()=>{ for (i in 1..10) Runtime.runAsync(()=>{ Runtime.x10rtProbe(); ran.incrementAndGet(); }); });
    show("ran", ran);
    val alone = new Latch();
    Runtime.runUncountedAsync(()=>{ alone.release(); });
    alone.await();
  }

  public static def main(Rail[String]) {
    atomics();
    locks();
    latches();
    futures();
    keepsakes();
  }
}
