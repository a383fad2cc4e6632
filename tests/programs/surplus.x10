// options: --threads 1
import x10.util.concurrent.AtomicLong;
import x10.xrx.Runtime;

/** An activity sees how many that it has started wait to begin, and so does not start more than it needs. */
public class surplus {
    static val begun = new AtomicLong(0);

    static def sum(from:Long, to:Long, most:Int):Long {
        if (to - from == 1) return from;
        val middle = (from + to) / 2;
        val left = new Cell[Long](0);
        val right:Long;
        finish {
            if (Runtime.surplusActivityCount() < most) async {
                begun.incrementAndGet();
                left() = sum(from, middle, most);
            } else left() = sum(from, middle, most);
            right = sum(middle, to, most);
        }
        return left() + right;
    }

    public static def main(Rail[String]) {
        Console.OUT.println("at first: " + Runtime.surplusActivityCount());
        finish {
            for (i in 1..100) async { }
            Console.OUT.println("of 100: " + Runtime.surplusActivityCount());
        }
        Console.OUT.println("in the end: " + Runtime.surplusActivityCount());
        for (most in [0n, 4n, 1000n]) {
            begun.set(0);
            Console.OUT.println("sum " + sum(0, 1024, most) + (begun.get() == 0 ? ", none" : begun.get() < 1023 ? ", some" : ", all"));
        }
    }
}
