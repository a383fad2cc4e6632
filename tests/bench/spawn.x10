/**
 * What activities cost. Arguments: what to measure, and its size. Prints nanoseconds.
 * fib N: fib(N) with an activity for every call. plain N: without. finish N: N times a finish of one activity.
 * spawn N: N activities in one finish. at N: N round trips to the next place. put BYTES: megabytes a second to the next place.
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

    static def repeat(what:String, size:Long):Long {
        val next = Place.places().next(here);
        if (what.equals("fib")) return fib(size as Int);
        if (what.equals("plain")) return plain(size as Int);
        if (what.equals("finish")) {
            for (i in 1..size) finish async { }
        } else if (what.equals("spawn")) {
            finish for (i in 1..size) async { }
        } else if (what.equals("at")) {
            for (i in 1..size) at (next) { }
        } else if (what.equals("put")) {
            val target = at (next) GlobalRail[Byte](new Rail[Byte](size));
            val source = new Rail[Byte](size);
            for (i in 1..16) finish Rail.asyncCopy(source, 0, target, 0, size);
        } else throw new IllegalArgumentException(what);
        return 0;
    }

    public static def main(args:Rail[String]) {
        val size = Long.parse(args(1));
        repeat(args(0), args(0).equals("put") ? size : Math.min(size, 10));
        for (round in 1..5) {
            val start = System.nanoTime();
            repeat(args(0), size);
            Console.OUT.println(System.nanoTime() - start);
        }
    }
}
