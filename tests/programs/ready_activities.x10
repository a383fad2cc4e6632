import x10.array.Array_2;
import x10.util.concurrent.*;
import x10.xrx.Runtime;

/**
 * An activity that is ready runs though all threads are busy with activities that wait in loops of their own: it has not begun, or it continues
 * after a lock, a guard, a sleep or another place.
 */
public class ready_activities {
    static val THREADS = Runtime.NTHREADS as Long;

    static class Turn { var value:Long = 0; }

    /** A reader-writer lock of the program's own: all code that wants it asks again and again. */
    static class Busy {
        val lock = new Lock();
        var taken:Boolean = false;

        def take() {
            for (;;) {
                lock.lock();
                val free = !taken;
                taken = true;
                lock.unlock();
                if (free) return;
            }
        }
        def give() {
            lock.lock();
            taken = false;
            lock.unlock();
        }
    }

    /** Runs with more activities that spin until it has set the flag than there are threads, some started before it and some after it. */
    static def amongSpinning(what:String, body:(AtomicBoolean)=>void) {
        val go = new AtomicBoolean(false);
        finish {
            for (i in 1..(THREADS + 1)) async { while (!go.get()); }
            async body(go);
            for (i in 1..THREADS) async { while (!go.get()); }
        }
        Console.OUT.println(what);
    }

    static def barrier(count:Long) {
        val come = new AtomicLong(0);
        finish for (i in 1..count) async {
            come.incrementAndGet();
            while (come.get() < count);
        }
        Console.OUT.println("a barrier of one's own");
    }

    static def chain(left:Long, come:AtomicLong, count:Long) {
        if (left > 1) async chain(left - 1, come, count);
        come.incrementAndGet();
        while (come.get() < count);
    }

    static def fib(n:Long):Long {
        if (n < 2) return n;
        val left = new Cell[Long](0);
        val right:Long;
        finish {
            async left() = fib(n - 1);
            right = fib(n - 2);
        }
        return left() + right;
    }

    /** What spins takes activities all the time: those that it starts itself. */
    static def amongRecursions() {
        val go = new AtomicBoolean(false);
        finish {
            for (i in 2..THREADS) async { while (!go.get()) fib(10); }
            async go.set(true);
            async { while (!go.get()) fib(10); }
        }
        Console.OUT.println("behind recursions");
    }

    static def locks() {
        val busy = new Rail[Busy](3, (Long) => new Busy());
        val order = new Lock();
        val count = new Cell[Long](0);
        val flag = new AtomicBoolean(false);
        val turn = new Turn();
        finish for (i in 1..(THREADS + 2)) async for (j in 1..500) {
            val mine = busy((i + j) % busy.size);
            mine.take();
            order.lock();
            count() = count() + 1;
            order.unlock();
            mine.give();
            while (!flag.compareAndSet(false, true));
            atomic turn.value++;
            if (j % 50 == 0) finish async { turn.value++; }
            if (j % 100 == 0) at (Place.places().next(here)) { }
            flag.set(false);
        }
        Console.OUT.println("locks that spin: " + (count() == (THREADS + 2) * 500) + " " + (turn.value == (THREADS + 2) * 510));
    }

    /** Rows of a table, each an activity that spins for the row above and starts the one below. */
    static def row(i:Long, done:Rail[AtomicLong], table:Array_2[Long]) {
        if (i < done.size - 1) async row(i + 1, done, table);
        for (j in 1..(table.numElems_2 - 1)) {
            while (done(i - 1).get() < j);
            table(i, j) = (table(i - 1, j) + table(i, j - 1) + 1) % 1000003;
            atomic done(i).set(j);
        }
    }

    static def rows(n:Long) {
        val done = new Rail[AtomicLong](n, (i:Long) => new AtomicLong(i == 0 ? n : 0));
        val table = new Array_2[Long](n, n);
        finish row(1, done, table);
        val expected = new Array_2[Long](n, n);
        for (i in 1..(n - 1)) for (j in 1..(n - 1)) expected(i, j) = (expected(i - 1, j) + expected(i, j - 1) + 1) % 1000003;
        Console.OUT.println("rows: " + (table(n - 1, n - 1) == expected(n - 1, n - 1)));
    }

    public static def main(args:Rail[String]) {
        amongSpinning("begins", (go:AtomicBoolean) => { go.set(true); });
        amongSpinning("starts one that starts one", (go:AtomicBoolean) => { async async go.set(true); });
        amongSpinning("finish", (go:AtomicBoolean) => { finish { async fib(5); async fib(6); } go.set(true); });
        amongSpinning("sleep", (go:AtomicBoolean) => { for (i in 1..5) System.sleep(2); go.set(true); });
        amongSpinning("at", (go:AtomicBoolean) => {
            for (p in Place.places()) for (i in 1..5) at (p) { }
            go.set(true);
        });
        amongSpinning("async at", (go:AtomicBoolean) => {
            val there = GlobalRef[AtomicBoolean](go);
            async at (Place.places().next(here)) at (there.home) there().set(true);
        });
        amongSpinning("when", (go:AtomicBoolean) => {
            val turn = new Turn();
            async { when (turn.value == 1) turn.value = 2; }
            atomic turn.value = 1;
            when (turn.value == 2) { }
            go.set(true);
        });
        amongSpinning("clock", (go:AtomicBoolean) => {
            clocked finish for (i in 1..3) clocked async { Clock.advanceAll(); Clock.advanceAll(); }
            go.set(true);
        });
        amongSpinning("future", (go:AtomicBoolean) => { go.set(Future.make[Long](() => fib(7)).force() == 13); });
        amongSpinning("others that probe", (go:AtomicBoolean) => {
            val turn = new AtomicLong(0);
            finish {
                async { while (turn.get() == 0) Runtime.probe(); }
                async turn.set(1);
            }
            go.set(true);
        });
        amongRecursions();
        barrier(THREADS + 6);
        val come = new AtomicLong(0);
        finish chain(THREADS + 4, come, THREADS + 4);
        Console.OUT.println("a chain");
        locks();
        rows(60);
    }
}
