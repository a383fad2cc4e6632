import x10.util.ArrayList;
import x10.util.concurrent.Lock;

/** What a finish shares with its own activities may lie in its function's frame, and the activities run wherever they are taken. */
public class joins {
    static class Node {
        val left:Node;
        val right:Node;
        def this(left:Node, right:Node) { this.left = left; this.right = right; }
        def count():Long = 1 + (left == null ? 0 : left.count()) + (right == null ? 0 : right.count());
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

    static def assigned(n:Long):Long {
        if (n < 2) return n;
        val left:Long;
        val right:Long;
        finish {
            async left = assigned(n - 1);
            async right = assigned(n - 2);
        }
        return left + right;
    }

    /** What only the frame refers to must survive collections. */
    static def tree(depth:Long):Node {
        if (depth == 0) return new Node(null, null);
        val left = new Cell[Node](null);
        val right = new Cell[Node](null);
        finish {
            async left() = tree(depth - 1);
            async { right() = tree(depth - 1); for (1..10) new Rail[Long](100); }
        }
        return new Node(left(), right());
    }

    /** Made anew while activities that have the one before still run. */
    static def kept(n:Long):Long {
        val sum = new Cell[Long](0);
        finish for (i in 1..n) {
            val own = new Cell[Long](i);
            async {
                val seen = own();
                atomic sum() = sum() + seen;
            }
            own() = own();
        }
        return sum();
    }

    /** In a finish inside another's loop. */
    static def rounds(n:Long):Long {
        val sum = new Cell[Long](0);
        finish for (i in 1..n) async {
            val own = new Cell[Long](0);
            finish {
                async own() = i;
                async { }
            }
            atomic sum() = sum() + own();
        }
        return sum();
    }

    /** Kept by an activity that nobody waits for here. */
    static def later(into:ArrayList[Cell[Long]], i:Long) {
        val own = new Cell[Long](i);
        async atomic into.add(own);
    }

    static def first(cell:Cell[Cell[Long]], i:Long) {
        val own = new Cell[Long](i);
        finish async cell() = own;
    }

    static def raises(n:Long):Long {
        var caught:Long = 0;
        try {
            finish {
                async { if (n > 0) raises(n - 1); throw new Exception("a" + n); }
                async throw new Exception("b" + n);
                throw new Exception("c" + n);
            }
        } catch (e:MultipleExceptions) {
            caught = e.exceptions().size;
        }
        return caught;
    }

    static def clocks():Long {
        val seen = new Cell[Long](0);
        finish {
            async {
                val clock = Clock.make();
                async clocked(clock) { clock.advance(); atomic seen() = seen() + 1; }
                clock.advance();
            }
            async {
                val more = Clock.make().registered() ? 10 : 0;
                atomic seen() = seen() + more;
            }
        }
        // The clock of an activity is not that of the one that waits for it.
        val clock = new Cell[Clock](null);
        finish async clock() = Clock.make();
        return seen() + (clock().registered() ? 100 : 0);
    }

    static def locked():Boolean {
        val lock = new Lock();
        lock.lock();
        val taken = new Cell[Boolean](true);
        finish async taken() = lock.tryLock();
        lock.unlock();
        return taken();
    }

    static def away():Long {
        val sum = new Cell[Long](0);
        val root = GlobalRef[Cell[Long]](sum);
        finish {
            async for (p in Place.places()) at (p) async at (root) atomic root().set(root()() + 1);
            async finish for (p in Place.places()) at (p) async { at (root) atomic root().set(root()() + 1); }
        }
        return sum() / Place.numPlaces();
    }

    public static def main(Rail[String]) {
        Console.OUT.println(fib(20) + " " + assigned(18) + " " + tree(12).count());
        Console.OUT.println(kept(3000) + " " + rounds(3000));
        val list = new ArrayList[Cell[Long]]();
        finish for (i in 1..500) later(list, i);
        var sum:Long = 0;
        for (cell in list) sum += cell();
        val cell = new Cell[Cell[Long]](null);
        first(cell, 7);
        fib(10);
        Console.OUT.println(list.size() + " " + sum + " " + cell()());
        Console.OUT.println(raises(0) + " " + raises(3));
        Console.OUT.println(clocks() + " " + locked());
        Console.OUT.println(away());
        var total:Long = 0;
        for (i in 1..20000) {
            val one = new Cell[Long](i);
            finish async one() = one() + 1;
            total += one();
        }
        Console.OUT.println(total);
    }
}
