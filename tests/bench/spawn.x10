import x10.util.concurrent.AtomicLong;

/**
 * What activities and messages cost. Arguments: what to measure, and its size. Prints nanoseconds.
 * fib N: fib(N) with an activity for every call. plain N: without. finish N: N times a finish of one activity.
 * spawn N: N activities in one finish. tree N: an unbalanced tree of that depth, with an activity for every node.
 * at N: N round trips to the next place. rail N BYTES: N times a rail of that size captured by an `at` to the next place.
 * put N BYTES: N copies of that many bytes to the next place.
 */
public class spawn {
    static def plain(n:Int):Long = n < 2n ? n as Long : plain(n - 1n) + plain(n - 2n);

    static def fib(n:Int):Long {
        if (n < 2n) return n as Long;
        val left = new Cell[Long](0);
        val right:Long;
        finish {
            async left() = fib(n - 1n);
            right = fib(n - 2n);
        }
        return left() + right;
    }

    /** The state of a child: a step of SplitMix64. */
    static def child(state:ULong, i:Long):ULong {
        var z:ULong = state + 0x9e3779b97f4a7c15UL * ((i + 1) as ULong);
        z = (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9UL;
        z = (z ^ (z >> 27n)) * 0x94d049bb133111ebUL;
        return z ^ (z >> 31n);
    }

    /** As many children as a geometric distribution says whose mean shrinks with the depth. */
    static def children(state:ULong, depth:Long, limit:Long):Long {
        val mean = 4.0 * (1.0 - (depth as Double) / limit);
        if (mean <= 0.0) return 0;
        val u = (state >> 11n) as Long as Double / 9007199254740992.0;
        return Math.floor(Math.log(1.0 - u) / Math.log(mean / (1.0 + mean))) as Long;
    }

    static def visit(state:ULong, depth:Long, limit:Long, count:AtomicLong):void {
        count.incrementAndGet();
        for (i in 0..(children(state, depth, limit) - 1)) {
            val next = child(state, i);
            async visit(next, depth + 1, limit, count);
        }
    }

    static def tree(limit:Long):Long {
        val count = new AtomicLong(0);
        finish visit(21UL * 0x9e3779b97f4a7c15UL, 0, limit, count);
        return count.get();
    }

    static def repeat(what:String, size:Long, bytes:Long):Long {
        val next = Place.places().next(here);
        if (what.equals("fib")) return fib(size as Int);
        if (what.equals("plain")) return plain(size as Int);
        if (what.equals("finish")) {
            for (i in 1..size) finish async { }
        } else if (what.equals("spawn")) {
            finish for (i in 1..size) async { }
        } else if (what.equals("tree")) {
            return tree(size);
        } else if (what.equals("at")) {
            for (i in 1..size) at (next) { }
        } else if (what.equals("rail")) {
            val rail = new Rail[Byte](bytes);
            for (i in 1..size) at (next) { if (rail.size < 0) Console.OUT.println(); }
        } else if (what.equals("put")) {
            val target = at (next) GlobalRail[Byte](new Rail[Byte](bytes));
            val source = new Rail[Byte](bytes);
            for (i in 1..size) finish Rail.asyncCopy(source, 0, target, 0, bytes);
        } else throw new IllegalArgumentException(what);
        return 0;
    }

    public static def main(args:Rail[String]) {
        val size = Long.parse(args(1));
        val bytes = args.size > 2 ? Long.parse(args(2)) : 0;
        repeat(args(0), Math.min(size, 10), bytes);
        for (round in 1..5) {
            val start = System.nanoTime();
            repeat(args(0), size, bytes);
            Console.OUT.println(System.nanoTime() - start);
        }
    }
}
