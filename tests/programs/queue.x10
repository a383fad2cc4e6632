// A bounded queue with `when`, a pipeline with clocks, a priority queue with a comparison.
import x10.util.ArrayList;
import x10.util.Random;

public class queue {
    static class Bounded[T] {
        private val items:Rail[T];
        private var head:Long = 0, count:Long = 0;
        private var closed:Boolean = false;
        def this(size:Long){T haszero} { items = new Rail[T](size); }
        def put(x:T) { when (count < items.size) { items((head + count) % items.size) = x; count++; } }
        def take():T { var x:T; when (count > 0) { x = items(head); head = (head + 1) % items.size; count--; } return x; }
        def close() { atomic closed = true; }
        def next(use:(T)=>void):Boolean {
            var found:Boolean = false;
            var x:T;
            when (count > 0 || closed) {
                x = items(head);
                if (count > 0) { head = (head + 1) % items.size; count--; found = true; }
            }
            if (found) use(x);
            return found;
        }
    }

    static class PriorityQueue[T] {
        private val heap = new ArrayList[T]();
        private val less:(T,T)=>Boolean;
        def this(less:(T,T)=>Boolean) { this.less = less; }
        def this(){T <: Comparable[T]} { this.less = (a:T, b:T) => a.compareTo(b) < 0n; }
        def size() = heap.size();
        def add(x:T) {
            heap.add(x);
            var i:Long = heap.size() - 1;
            while (i > 0 && less(heap(i), heap((i - 1) / 2))) { swap(i, (i - 1) / 2); i = (i - 1) / 2; }
        }
        private def swap(i:Long, j:Long) { val t = heap(i); heap(i) = heap(j); heap(j) = t; }
        def pop():T {
            val top = heap(0);
            val last = heap.removeLast();
            if (heap.size() > 0) {
                heap(0) = last;
                var i:Long = 0;
                sift: while (true) {
                    var s:Long = i;
                    for (c in (2 * i + 1)..Math.min(2 * i + 2, heap.size() - 1)) if (less(heap(c), heap(s))) s = c;
                    if (s == i) break sift;
                    swap(i, s);
                    i = s;
                }
            }
            return top;
        }
    }

    static struct Task(cost:Long, name:String) implements Comparable[Task] {
        public def compareTo(that:Task):Int = cost != that.cost ? cost.compareTo(that.cost) : name.compareTo(that.name);
        public def toString() = name + ":" + cost;
    }

    public static def main(args:Rail[String]) {
        val q = new Bounded[Long](4);
        val sum = new Cell[Long](0);
        finish {
            for (w in 1..3) async while (q.next((x:Long) => { atomic sum() = sum() + x; })) {}
            finish for (p in 1..4) async for (i in 1..100) q.put(p * i);
            q.close();
        }
        Console.OUT.println("sum " + sum());

        val tasks = new PriorityQueue[Task]();
        for (i in 0..9) tasks.add(Task((i * 7) % 10, "t" + i));
        var order:String = "";
        while (tasks.size() > 0) order += tasks.pop() + " ";
        Console.OUT.println(order);
        val big = new PriorityQueue[Double]((a:Double, b:Double) => a > b);
        val random = new Random(5);
        for (1..1000) big.add(random.nextDouble());
        var last:Double = 2.0;
        var right:Boolean = true;
        while (big.size() > 0) { val x = big.pop(); right &= x <= last; last = x; }
        Console.OUT.println("ordered " + right);

        // A pipeline: each stage works on what the stage before made in the last phase.
        val stages = 3, items = 5;
        val buffer = new Rail[Rail[Long]](stages + 1, (Long) => new Rail[Long](2, -1));
        val out = new ArrayList[Long]();
        clocked finish {
            for (s in 0..(stages - 1)) clocked async {
                for (t in 0..(items + stages)) {
                    val from = buffer(s)((t + 1) % 2), item = s == 0 ? (t < items ? t : -1) : from;
                    buffer(s + 1)(t % 2) = item < 0 ? -1 : item * 2 + s;
                    Clock.advanceAll();
                    if (s == stages - 1 && buffer(stages)(t % 2) >= 0) out.add(buffer(stages)(t % 2));
                    Clock.advanceAll();
                }
            }
        }
        Console.OUT.println(out);
    }
}
