import x10.compiler.Uncounted;
import x10.util.Team;
import x10.util.concurrent.Latch;
import x10.util.concurrent.Lock;

/** Programs that wait for ever, and some that only look as if they did. The argument says which. */
public class Deadlocks {
    static class Flag { var up:Boolean = false; }
    /** Each place has its own. */
    static val FLAG = new Flag();

    /** Waits until somebody raises the flag of this place. */
    static def waits() { val flag = FLAG; when (flag.up) {} }
    static def raise(p:Place) { at (p) { val flag = FLAG; atomic flag.up = true; } }
    static def next() = Place.places().next(here);

    static def afterTheFinish() {
        finish for (i in 1..5) async waits();
        raise(here);
    }
    static def registered() {
        val clock = Clock.make();
        finish async { val mine = Clock.make(); async clocked(mine) { mine.advance(); } waits(); mine.advance(); }
        clock.drop();
    }
    static def phases() {
        clocked finish {
            clocked async { waits(); Clock.advanceAll(); }
            Clock.advanceAll();
            raise(here);
        }
    }
    static def crossed() {
        finish for (p in Place.places()) at (p) async { waits(); raise(next()); }
    }
    static def barrier() {
        finish for (p in Place.places()) at (p) async {
            if (here.id == Place.numPlaces() - 1) waits();
            Team.WORLD.barrier();
        }
    }
    static def locks() {
        val a = new Lock(), b = new Lock();
        val first = new Latch(), second = new Latch();
        finish {
            async { a.lock(); first.release(); second.await(); b.lock(); }
            async { b.lock(); second.release(); first.await(); a.lock(); }
        }
    }
    static def chain(n:Long):Long {
        if (n == 0) { waits(); return 0; }
        return at (next()) chain(n - 1) + 1;
    }
    static def collected():Long = finish (Reducible.SumReducer[Long]()) {
        async { waits(); offer 1; }
        offer 2;
    };

    static def slow() {
        finish for (p in Place.places()) at (p) async {
            if (here.id == Place.numPlaces() - 1) System.sleep(1500);
            Team.WORLD.barrier();
        }
    }
    static def uncounted() {
        val home = here;
        @Uncounted async at (next()) {
            val end = System.currentTimeMillis() + 1000;
            while (System.currentTimeMillis() < end) {}
            System.sleep(700);
            raise(home);
        }
        waits();
    }
    static def input() {
        finish {
            async waits();
            Console.IN.readLine();
            raise(here);
        }
    }

    public static def main(args:Rail[String]) {
        val which = args(0);
        if (which.equals("when")) waits();
        if (which.equals("finish")) afterTheFinish();
        if (which.equals("registered")) registered();
        if (which.equals("phases")) phases();
        if (which.equals("crossed")) crossed();
        if (which.equals("barrier")) barrier();
        if (which.equals("locks")) locks();
        if (which.equals("latches")) { val latch = new Latch(); finish for (i in 1..1000) async latch.await(); }
        if (which.equals("chain")) Console.OUT.println(chain(6));
        if (which.equals("collected")) Console.OUT.println(collected());
        if (which.equals("slow")) slow();
        if (which.equals("uncounted")) uncounted();
        if (which.equals("input")) input();
        Console.OUT.println("done");
    }
}
