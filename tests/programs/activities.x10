/** async and finish: nesting, shared variables, many activities, atomic and when, results collected without a race. */
public class activities {
    static def fibonacci(n:Long):Long {
        if (n < 2) return n;
        val a:Long;
        val b:Long;
        finish {
            async { a = fibonacci(n - 1); }
            b = fibonacci(n - 2);
        }
        return a + b;
    }

    static class Door {
        var passed:Long = 0;
        atomic def pass():Long {
            if (passed < 0) return -1;
            return ++passed;
        }
    }

    static class Queue {
        var items:Long = 0;
        def put() { atomic items++; }
        def take() { when (items > 0) items--; }
    }

    public static def main(args:Rail[String]) {
        Console.OUT.println(fibonacci(15));
        val count = new Cell[Long](0);
        finish for (i in 1..10000) async atomic count() = count() + 1;
        Console.OUT.println(count());
        var shared:Long = 0;
        finish async { shared = 5; }
        Console.OUT.println(shared);
        val queue = new Queue();
        finish {
            for (i in 1..200) async queue.take();
            for (i in 1..200) async queue.put();
        }
        Console.OUT.println(queue.items);
        val parts = new Rail[Long](16);
        finish for (p in parts.range) async {
            var sum:Long = 0;
            for (i in 1..1000) sum += i * p;
            parts(p) = sum;
        }
        var total:Long = 0;
        for (part in parts) total += part;
        Console.OUT.println(total);
        // Activities that wait hold no worker.
        val gate = new Cell[Boolean](false);
        finish {
            for (i in 1..500) async { when (gate()) { } }
            async atomic gate() = true;
        }
        Console.OUT.println("open");
        // A method may be atomic as a whole.
        val door = new Door();
        finish {
            async { when (door.passed == 50) { } Console.OUT.println("all passed"); }
            for (i in 1..50) async door.pass();
        }
        // An atomic statement goes nowhere, not even to the place where it is.
        try {
            atomic at (here) gate() = false;
        } catch (e:IllegalOperationException) {
            Console.OUT.println("atomic at " + gate());
        }
        try {
            atomic gate() = at (here) false;
        } catch (e:IllegalOperationException) {
            Console.OUT.println("atomic value " + gate());
        }
    }
}
