// places: 2
import x10.util.concurrent.AtomicLong;

/** More activities wait for another place at the same time than there can be stacks: those that have not begun are started later. */
public class many_waiting {
    static val ALL = 40000;

    static class Gate { var open:Boolean = false; }

    /** No activity that ends where its message is read: it has a loop. */
    static def upTo(n:Long):Long {
        var sum:Long = 0;
        for (i in 1..n) sum += i;
        return sum;
    }

    /** Each goes to the next place, and from there back. */
    static def back(count:GlobalRef[AtomicLong], next:Place) {
        finish for (i in 1..ALL) async {
            val there = at (next) {
                at (count.home) { count.getLocalOrCopy().addAndGet(upTo(i % 5)); };
                upTo(i % 3)
            };
            count().addAndGet(there);
        }
    }

    /** Each is sent to the next place, and waits there for one that it sends back. */
    static def sent(count:GlobalRef[AtomicLong], next:Place) {
        finish for (i in 1..ALL) at (next) async {
            finish at (count.home) async { count.getLocalOrCopy().addAndGet(upTo(i % 5)); }
        }
    }

    /** What they wait for is done by the one that is started last, or first. */
    static def gated(gate:GlobalRef[Gate], opener:Long) {
        finish for (i in 1..3000) async {
            if (i == opener) at (gate.home) atomic gate().open = true;
            else at (gate.home) when (gate().open) { }
        }
    }

    public static def main(Rail[String]) {
        val next = Place.places().next(here);
        val count = GlobalRef[AtomicLong](new AtomicLong(0));
        back(count, next);
        Console.OUT.println("back: " + count().get());
        count().set(0);
        sent(count, next);
        Console.OUT.println("sent: " + count().get());
        for (opener in [1 as Long, 3000]) {
            gated(at (next) GlobalRef[Gate](new Gate()), opener);
            Console.OUT.println("the gate was opened by activity " + opener);
        }
    }
}
