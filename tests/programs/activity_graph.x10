// places: 1
// without: thread
// Every activity has a stack of its own there, and with it a record of the sanitizer.
import x10.array.Array_2;
import x10.util.concurrent.Lock;

/**
 * A graph of activities: one for each cell of a table, which the last of its neighbours starts in a finish of its own. All share the atomic
 * section, or a lock, for a moment: few activities wait at a time.
 */
public class activity_graph {
    val size:Long;
    val left:Array_2[Int];
    val value:Array_2[Long];
    val lock = new Lock();
    val locks:Boolean;

    def this(size:Long, locks:Boolean) {
        this.size = size;
        this.locks = locks;
        left = new Array_2[Int](size, size, (i:Long, j:Long) => (i == 0 || j == 0 ? 1n : 3n));
        value = new Array_2[Long](size, size);
    }

    def isReady(i:Long, j:Long):Boolean {
        if (i == size || j == size) return false;
        if (locks) {
            lock.lock();
            val last = --left(i, j) == 0n;
            lock.unlock();
            return last;
        }
        var last:Boolean = false;
        atomic last = --left(i, j) == 0n;
        return last;
    }

    static def next(above:Long, before:Long, i:Long, j:Long) = Math.max(above, before) + (i * j) % 3 + 1;

    def cell(i:Long, j:Long):Long {
        value(i, j) = next(i == 0 ? 0 : value(i - 1, j), j == 0 ? 0 : value(i, j - 1), i, j);
        var right:Long = 0;
        var below:Long = 0;
        var across:Long = 0;
        finish {
            if (isReady(i, j + 1)) async right = cell(i, j + 1);
            if (isReady(i + 1, j)) async below = cell(i + 1, j);
            if (isReady(i + 1, j + 1)) async across = cell(i + 1, j + 1);
        }
        return Math.max(value(i, j), Math.max(right, Math.max(below, across)));
    }

    static def show(size:Long, locks:Boolean) {
        val expected = new Array_2[Long](size, size);
        for (i in 0..(size - 1)) for (j in 0..(size - 1))
            expected(i, j) = next(i == 0 ? 0 : expected(i - 1, j), j == 0 ? 0 : expected(i, j - 1), i, j);
        val found = new activity_graph(size, locks).cell(0, 0);
        Console.OUT.println((locks ? "lock" : "atomic") + ": " + (found == expected(size - 1, size - 1)));
    }

    public static def main(args:Rail[String]) {
        show(700, false);
        show(500, true);
    }
}
