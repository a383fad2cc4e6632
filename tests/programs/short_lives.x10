import x10.util.*;

/** Objects that are not seen any more when their function ends, and objects that look so and are. */
public class short_lives {
    static class Counter implements Iterator[Long] {
        val end:Long;
        var next:Long;
        def this(from:Long, end:Long) { this.next = from; this.end = end; }
        public def hasNext() = next < end;
        public def next() = next++;
    }

    static class Span(low:Long, high:Long) implements Iterable[Long] {
        public def iterator():Iterator[Long] = new Counter(low, high);
    }

    static class Pair {
        var a:Long;
        var b:Pair;
        def this(a:Long, b:Pair) { this.a = a; this.b = b; }
        def sum():Long = b == null ? a : a + b.sum();
        def itself() = this;
        def keepIn(list:ArrayList[Pair]) { list.add(this); }
    }

    static def pass(pair:Pair) = pair;
    static def apply(f:(Long)=>Long, n:Long):Long = n == 0 ? f(0) : f(n) + apply(f, n - 1);
    static def twice(f:(Long)=>Long) = (x:Long)=>f(f(x));
    static def make(n:Long) = new Pair(n, null);

    static def loops() {
        val list = new ArrayList[Long]();
        for (i in new Span(3, 9)) list.add(i * i);
        var sum:Long = 0;
        for (x in list) for (y in list) sum += x * y;
        // Two iterators of one place in the code, alive at the same time.
        val iterators = new Rail[Iterator[Long]](3, (i:Long)=>new Span(i, i + 3).iterator());
        for (it in iterators) sum += it.next();
        for (it in iterators) sum = sum * 10 + it.next();
        Console.OUT.println("loops " + sum);
    }

    static def identities() {
        val kept = new ArrayList[Pair]();
        var last:Pair = null;
        var same:Long = 0;
        for (i in 1..4) {
            val local = new Pair(i, null);
            local.a += 10;
            if (local.itself() == local) same++;
            val kin = make(i);
            kin.b = last;
            last = pass(kin);
            val third = new Pair(i, last);
            third.keepIn(kept);
            same += local.sum();
        }
        var all:Long = 0;
        for (pair in kept) all = all * 100 + pair.sum();
        Console.OUT.println("identities " + same + " " + last.sum() + " " + all);
    }

    static def previous() {
        // An object that is made from its predecessor in the same variable, and one that outlives its iteration.
        var chain:Pair = new Pair(1, null);
        for (i in 2..5) chain = new Pair(chain.a * i, chain);
        var before:Pair = null;
        var sum:Long = 0;
        for (i in 1..5) {
            val now = new Pair(i, null);
            if (before != null) sum += before.a * now.a;
            before = now;
        }
        Console.OUT.println("previous " + chain.sum() + " " + sum);
    }

    static def functions() {
        var sum:Long = 0;
        for (i in 1..3) sum += apply((x:Long)=>x * i, 4);
        val four = twice(twice((x:Long)=>x + 1));
        val rail = new Rail[Long](5, (i:Long)=>four(i));
        val doubled = RailUtils.map(rail, new Rail[Long](5), (x:Long)=>2 * x);
        val stored = new Rail[(Long)=>Long](3, (i:Long)=>((x:Long)=>x + i));
        for (f in stored) sum += f(100);
        sum += RailUtils.reduce(doubled, (x:Long, y:Long)=>x + y, 0);
        RailUtils.sort(doubled, (x:Long, y:Long)=>y.compareTo(x));
        Console.OUT.println("functions " + sum + " " + doubled(0));
    }

    static def activities() {
        val sums = new Rail[Long](10);
        finish for (i in 0..9) {
            val pair = new Pair(i, null);
            val other = new Pair(i * 10, pair);
            async sums(i) = other.sum();
        }
        val far = at (Place.places().next(here)) make(sums(9)).sum();
        Console.OUT.println("activities " + far);
    }

    static def raising() {
        var caught:Long = 0;
        for (i in 1..3) {
            val pair = new Pair(i, null);
            try {
                if (pair.b.a == 0) caught = -1;
            } catch (e:NullPointerException) {
                caught += pair.a;
            }
        }
        try {
            for (x in none()) caught += x;
        } catch (e:NullPointerException) {
            caught *= 10;
        }
        Console.OUT.println("raising " + caught);
    }

    static def none():ArrayList[Long] = null;

    static def texts() {
        val built = new StringBuilder();
        for (i in [0, 7, 10, 99, 100, 12345, 9999999999, Long.MAX_VALUE, -5, Long.MIN_VALUE]) built.add(i).add(' ');
        built.add("é").add('ü').add(null as String).add(1.5).add(true);
        val text = built.result();
        var sum:Long = 0;
        for (i in 0n..(text.length() - 1n)) sum = (sum * 31 + text.charAt(i).ord()) % 1000003;
        Console.OUT.println(text + " " + sum + " " + text.hashCode() + " " + "".hashCode() + " " + "abcde".hashCode());
        try {
            text.charAt(text.length());
        } catch (e:StringIndexOutOfBoundsException) {
            Console.OUT.println("no such character");
        }
        Console.OUT.println("ab".equals("a" + "b") + " " + "ab".equals("abc") + " " + "ab".equals(5) + " " + "".equals(""));
    }

    public static def main(args:Rail[String]) {
        loops();
        identities();
        previous();
        functions();
        activities();
        raising();
        texts();
    }
}
