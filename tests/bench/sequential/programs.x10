import x10.array.*;
import x10.regionarray.Array;
import x10.regionarray.Dist;
import x10.regionarray.DistArray;
import x10.regionarray.Region;
import x10.util.*;

/** Small programs as their users write them, the same as in programs.cpp. Arguments: the name of one, and how often it runs. Prints a checksum. */
public class programs {
    // ---- points and regions ----

    static def filling(n:Long):Double {
        val r = Region.make(0..(n - 1), 0..(n - 1));
        val a = new Array[Double](r, (p:Point(2))=>(p(0) * 3 + p(1)) as Double);
        for (p in r) a(p) = a(p) * 2 + p(0);
        var sum:Double = 0.0;
        for ([i, j] in r) sum += a(i, j);
        return sum;
    }

    static def scaled(r:Region):Double {
        val a = new Array[Double](r, (p:Point)=>p(0) as Double);
        for (p in r) a(p) = a(p) * 2 + p(0);
        var sum:Double = 0.0;
        for (p in r) sum += a(p);
        return sum;
    }

    static def triangle(n:Long):Double {
        val r = Region.makeUpperTriangular(n);
        val a = new Array[Double](Region.make(0..(n - 1), 0..(n - 1)), 1.0);
        for (p in r) a(p) = a(p) + p(1);
        var sum:Double = 0.0;
        for ([i, j] in r) sum += a(i, j);
        return sum;
    }

    // A DistArray stays until its program ends, so that it is made once.
    static def distributed(a:DistArray[Double](2)):Double {
        val d = a.dist;
        for (p in d | here) a(p) = (p(0) * 3 + p(1)) as Double;
        for (p in d | here) a(p) = a(p) * 2;
        var sum:Double = 0.0;
        for (p in d | here) sum += a(p);
        return sum;
    }

    static def neighbours(a:Array[Double](2), next:Array[Double](2)):Double {
        val r = a.region;
        val all = [Point.make(0, 1), Point.make(1, 0), Point.make(0, -1), Point.make(-1, 0)];
        for (p in r) {
            var sum:Double = 0.0;
            for (d in all) {
                val q = p + d;
                if (r.contains(q)) sum += a(q);
            }
            next(p) = sum;
        }
        return next(1, 1);
    }

    // ---- collections ----

    static def indexed(a:ArrayList[Double], b:ArrayList[Double]):Double {
        var sum:Double = 0.0;
        for (i in 0..(a.size() - 1)) sum += a(i) * b(i);
        for (i in 0..(a.size() - 1)) b(i) = b(i) * 0.5 + a(i);
        return sum;
    }

    static def sets(n:Long):Long {
        val seen = new HashSet[Long]();
        val count = new HashMap[Long, Long]();
        var x:Long = 1;
        for (i in 1..n) {
            x = (x * 1103515245 + 12345) & 0x7fffffff;
            val key = x % 50000;
            seen.add(key);
            if (count.containsKey(key)) count.put(key, count.get(key) + 1);
            else count.put(key, 1);
        }
        var best:Long = 0;
        for (e in count.entries()) best = Math.max(best, e.getValue() * 100000 + e.getKey());
        return best + seen.size();
    }

    static def sorted(values:ArrayList[Long]):Long {
        val list = new ArrayList[Long]();
        list.addAll(values);
        list.sort((a:Long, b:Long)=>a < b ? -1n : a > b ? 1n : 0n);
        val middle = list(list.size() / 2);
        list.sort((a:Long, b:Long)=>(b % 1000).compareTo(a % 1000));
        return middle + list(0);
    }

    static struct Edge(to:Long, weight:Double) { }
    static struct Item(node:Long, distance:Double) implements Comparable[Item] {
        public def compareTo(o:Item):Int = distance < o.distance ? -1n : distance > o.distance ? 1n : 0n;
    }

    /** A heap, the least element first. */
    static class PriorityQueue[T]{T <: Comparable[T]} {
        private val items = new ArrayList[T]();
        def isEmpty() = items.isEmpty();
        def push(x:T) {
            items.add(x);
            var i:Long = items.size() - 1;
            while (i > 0) {
                val up = (i - 1) / 2;
                if (items(up).compareTo(x) <= 0n) break;
                items(i) = items(up);
                i = up;
            }
            items(i) = x;
        }
        def pop():T {
            val first = items(0);
            val last = items.removeLast();
            val n = items.size();
            if (n == 0) return first;
            var i:Long = 0;
            while (2 * i + 1 < n) {
                var child:Long = 2 * i + 1;
                if (child + 1 < n && items(child + 1).compareTo(items(child)) < 0n) child++;
                if (last.compareTo(items(child)) <= 0n) break;
                items(i) = items(child);
                i = child;
            }
            items(i) = last;
            return first;
        }
    }

    static def graph(n:Long):Rail[ArrayList[Edge]] {
        val edges = new Rail[ArrayList[Edge]](n, (i:Long)=>new ArrayList[Edge]());
        var x:Long = 7;
        for (i in 0..(n - 1)) {
            for (k in 1..8) {
                x = (x * 1103515245 + 12345) & 0x7fffffff;
                edges(i).add(Edge((x >> 8) % n, 1.0 + x % 100));
            }
        }
        return edges;
    }

    static def dijkstra(edges:Rail[ArrayList[Edge]]):Double {
        val distance = new Rail[Double](edges.size, Double.MAX_VALUE);
        val queue = new PriorityQueue[Item]();
        distance(0) = 0.0;
        queue.push(Item(0, 0.0));
        while (!queue.isEmpty()) {
            val item = queue.pop();
            if (item.distance > distance(item.node)) continue;
            for (edge in edges(item.node)) {
                val d = item.distance + edge.weight;
                if (d < distance(edge.to)) {
                    distance(edge.to) = d;
                    queue.push(Item(edge.to, d));
                }
            }
        }
        return RailUtils.reduce(distance, (a:Double, b:Double)=>b < 1e9 ? a + b : a, 0.0);
    }

    // ---- strings ----

    static def append(n:Long):Long {
        var length:Long = 0;
        for (turn in 1..10) {
            var s:String = "";
            for (i in 0..(n - 1)) s += i;
            length += s.length();
        }
        return length;
    }

    static def records(n:Long):Long {
        val text = new StringBuilder();
        for (i in 0..(n - 1)) {
            text.add(i);
            text.add(',');
            text.add("name" + (i % 100));
            text.add(',');
            text.add(i * 3);
            text.add('\n');
        }
        var sum:Long = 0;
        for (line in text.result().split("\n")) {
            if (line.length() == 0n) continue;
            val parts = line.split(",");
            sum += Long.parse(parts(0)) + Long.parse(parts(2)) + parts(1).length();
        }
        return sum;
    }

    static def counted(text:String):Long {
        val count = new HashMap[String, Long]();
        for (word in text.split(" ")) count.put(word, count.getOrElse(word, 0) + 1);
        val words = new ArrayList[String]();
        for (word in count.keySet()) words.add(word);
        words.sort();
        var sum:Long = 0;
        for (i in 0..(words.size() - 1)) sum += i * count(words(i));
        return sum;
    }

    static def vowels(text:String):Long {
        var count:Long = 0;
        for (i in 0n..(text.length() - 1n)) {
            switch (text.charAt(i)) {
                case 'a': case 'e': case 'i': case 'o': case 'u': count++; break;
                default:
            }
        }
        return count;
    }

    // ---- arrays and rails ----

    static def chain(n:Long):Long {
        val sizes = new Rail[Long](n + 1, (i:Long)=>10 + i * 7 % 31);
        val cost = new Array_2[Long](n, n);
        for (length in 2..n) {
            for (i in 0..(n - length)) {
                val j = i + length - 1;
                cost(i, j) = Long.MAX_VALUE;
                for (k in i..(j - 1)) {
                    val c = cost(i, k) + cost(k + 1, j) + sizes(i) * sizes(k + 1) * sizes(j + 1);
                    if (c < cost(i, j)) cost(i, j) = c;
                }
            }
        }
        return cost(0, n - 1);
    }

    static def primes(n:Int):Int {
        val composite = new Rail[Boolean](n + 1n);
        var count:Int = 0n;
        for (var i:Int = 2n; i <= n; i++) {
            if (!composite(i)) {
                count++;
                for (var k:Int = 2n * i; k <= n; k += i) composite(k) = true;
            }
        }
        return count;
    }

    static class Queens(n:Int) {
        val columns = new Rail[Int](n);
        var solutions:Long = 0;
        def safe(row:Int, column:Int):Boolean {
            for (var r:Int = 0n; r < row; r++)
                if (columns(r) == column || Math.abs(columns(r) - column) == row - r) return false;
            return true;
        }
        def place(row:Int):void {
            if (row == n) {
                solutions++;
                return;
            }
            for (column in 0n..(n - 1n)) {
                if (safe(row, column)) {
                    columns(row) = column;
                    place(row + 1n);
                }
            }
        }
    }

    static def queens(n:Int):Long {
        val q = new Queens(n);
        q.place(0n);
        return q.solutions;
    }

    static def lu(n:Long):Double {
        val a = new Array_2[Double](n, n, (i:Long, j:Long)=>i == j ? n as Double : 1.0 / (1 + i + j));
        for (k in 0..(n - 1)) {
            var best:Long = k;
            for (i in (k + 1)..(n - 1)) if (Math.abs(a(i, k)) > Math.abs(a(best, k))) best = i;
            if (best != k) {
                for (j in 0..(n - 1)) {
                    val t = a(k, j);
                    a(k, j) = a(best, j);
                    a(best, j) = t;
                }
            }
            for (i in (k + 1)..(n - 1)) {
                a(i, k) /= a(k, k);
                for (j in (k + 1)..(n - 1)) a(i, j) -= a(i, k) * a(k, j);
            }
        }
        return a(n - 1, n - 1);
    }

    static def fourier(a:Rail[Complex]) {
        val n = a.size;
        var j:Long = 0;
        for (i in 1..(n - 1)) {
            var bit:Long = n >> 1;
            while ((j & bit) != 0) { j ^= bit; bit >>= 1; }
            j ^= bit;
            if (i < j) { val t = a(i); a(i) = a(j); a(j) = t; }
        }
        for (var length:Long = 2; length <= n; length <<= 1) {
            val angle = -2 * Math.PI / length;
            val root = Complex(Math.cos(angle), Math.sin(angle));
            for (var i:Long = 0; i < n; i += length) {
                var w:Complex = Complex.ONE;
                for (k in 0..(length / 2 - 1)) {
                    val u = a(i + k);
                    val v = a(i + k + length / 2) * w;
                    a(i + k) = u + v;
                    a(i + k + length / 2) = u - v;
                    w = w * root;
                }
            }
        }
    }

    // ---- objects ----

    static abstract class Term {
        abstract def value(x:Double):Double;
    }
    static class Constant(c:Double) extends Term { def value(x:Double) = c; }
    static class Variable extends Term { def value(x:Double) = x; }
    static class Sum(a:Term, b:Term) extends Term { def value(x:Double) = a.value(x) + b.value(x); }
    static class Product(a:Term, b:Term) extends Term { def value(x:Double) = a.value(x) * b.value(x); }

    static def term(depth:Long, seed:Long):Term {
        if (depth == 0) return seed % 3 == 0 ? new Variable() as Term : new Constant(1.0 / (1 + seed % 7));
        return seed % 2 == 0 ? new Sum(term(depth - 1, seed * 3 + 1), term(depth - 1, seed * 5 + 2)) as Term
            : new Product(term(depth - 1, seed * 7 + 3), term(depth - 1, seed + 11));
    }

    static def terms(t:Term):Double {
        var sum:Double = 0.0;
        for (i in 1..100) sum += t.value(i * 0.01);
        return sum;
    }

    static class Node(value:Long) {
        var next:Node;
        def this(value:Long, next:Node) { property(value); this.next = next; }
    }

    static def linked(n:Long):Long {
        var head:Node = null;
        for (i in 1..n) head = new Node(i * 7 % 1000, head);
        var reversed:Node = null;
        while (head != null) {
            val next = head.next;
            head.next = reversed;
            reversed = head;
            head = next;
        }
        var sum:Long = 0;
        var place:Long = 0;
        for (var node:Node = reversed; node != null; node = node.next) sum += node.value * (place++ % 10);
        return sum;
    }

    static struct Vector(x:Double, y:Double, z:Double) {
        operator this + (o:Vector) = Vector(x + o.x, y + o.y, z + o.z);
        operator this * (s:Double) = Vector(x * s, y * s, z * s);
        def dot(o:Vector) = x * o.x + y * o.y + z * o.z;
    }

    /** A list that grows, as its user writes it. */
    static class Grown[T]{T haszero} implements Iterable[T] {
        private var items:Rail[T] = new Rail[T](4);
        private var size:Long = 0;
        def add(x:T) {
            if (size == items.size) {
                val more = new Rail[T](2 * size);
                for (i in 0..(size - 1)) more(i) = items(i);
                items = more;
            }
            items(size++) = x;
        }
        operator this(i:Long):T = items(i);
        operator this(i:Long) = (x:T) { items(i) = x; }
        def size() = size;
        public def iterator() = new GrownIterator[T](this);
    }
    static class GrownIterator[T]{T haszero} implements Iterator[T] {
        private val list:Grown[T];
        private var next:Long = 0;
        def this(list:Grown[T]) { this.list = list; }
        public def hasNext() = next < list.size();
        public def next() = list(next++);
    }

    static def generic(n:Long):Double {
        val list = new Grown[Vector]();
        for (i in 0..(n - 1)) list.add(Vector(i * 0.5, i * 0.25, 1.0));
        var sum:Vector = Vector(0.0, 0.0, 0.0);
        for (v in list) sum = sum + v * 0.5;
        for (i in 0..(list.size() - 1)) list(i) = list(i) + sum * 1e-9;
        var total:Double = 0.0;
        for (i in 1..(list.size() - 1)) total += list(i).dot(list(i - 1));
        return total;
    }

    // ---- numbers and closures ----

    static def mixed(n:Int):Long {
        var sum:Long = 0;
        var state:UInt = 12345un;
        val hist = new Rail[Int](256);
        for (i in 1n..n) {
            state = state * 1664525un + 1013904223un;
            val bucket = (state >> 24n) as Int;
            hist(bucket)++;
            sum += (i % 7n) * (bucket as Long) + (sum >> 3n);
            if ((i & 1023n) == 0n) sum /= 3;
        }
        var weighted:Long = 0;
        for (i in 0n..255n) weighted += i * (hist(i) as Long);
        return sum + weighted;
    }

    static def folded(values:Rail[Long]):Long {
        val squares = new Rail[Long](values.size);
        RailUtils.map(values, squares, (x:Long)=>x * x % 1000);
        val factor = squares.size % 7 + 1;
        val evens = new ArrayList[Long]();
        for (x in squares) if (x % 2 == 0) evens.add(x);
        return RailUtils.reduce(evens.toRail(), (a:Long, b:Long)=>a + b * factor, 0);
    }

    static def each(a:Rail[Double], f:(Long)=>Double) {
        val part = a.size / 8;
        finish for (k in 0..7) async {
            for (i in (k * part)..((k + 1) * part - 1)) a(i) = f(i);
        }
    }

    static def chunks(a:Rail[Double]):Double {
        each(a, (i:Long)=>i * 0.5);
        each(a, (i:Long)=>a(i) * a(i) + i);
        return a(17);
    }

    static def collatz(n:Long):Long {
        var best:Long = 0;
        var most:Long = 0;
        for (i in 1..n) {
            var x:Long = i;
            var steps:Long = 0;
            while (x != 1) {
                x = x % 2 == 0 ? x / 2 : 3 * x + 1;
                steps++;
            }
            if (steps > most) { most = steps; best = i; }
        }
        return best * 1000 + most;
    }

    static def run(name:String, kernel:()=>Any, wanted:String, turns:Long) {
        if (!name.equals(wanted)) return;
        var result:Any = null;
        for (turn in 1..turns) result = kernel();
        Console.OUT.println(result);
    }

    public static def main(args:Rail[String]) {
        val name = args(0);
        val turns = Long.parse(args(1));
        run("filling", ()=>filling(1000), name, turns);
        run("scaled", ()=>scaled(Region.make(0..999, 0..999)), name, turns);
        run("triangle", ()=>triangle(1000), name, turns);
        val over = DistArray.make[Double](Dist.makeBlock(Region.make(0..999, 0..999)), (p:Point(2))=>p(0) as Double);
        run("distributed", ()=>distributed(over), name, turns);
        val a = new Array[Double](Region.make(0..999, 0..999), (p:Point(2))=>((p(0) + p(1)) % 7) as Double);
        val b = new Array[Double](a.region, 0.0);
        run("neighbours", ()=>neighbours(a, b), name, turns);
        val left = new ArrayList[Double]();
        val right = new ArrayList[Double]();
        for (i in 0..999999) { left.add((i % 10) as Double); right.add((i % 13) as Double); }
        run("indexed", ()=>indexed(left, right), name, turns);
        run("sets", ()=>sets(1000000), name, turns);
        val values = new ArrayList[Long]();
        var x:Long = 3;
        for (i in 1..500000) { x = (x * 1103515245 + 12345) & 0x7fffffff; values.add(x >> 3); }
        run("sorted", ()=>sorted(values), name, turns);
        val edges = graph(100000);
        run("dijkstra", ()=>dijkstra(edges), name, turns);
        run("append", ()=>append(5000), name, turns);
        run("records", ()=>records(100000), name, turns);
        val text = new StringBuilder();
        for (i in 1..400000) { x = (x * 1103515245 + 12345) & 0x7fffffff; text.add("word" + (x >> 8) % 5000); text.add(' '); }
        val words = text.result().trim();
        run("counted", ()=>counted(words), name, turns);
        run("vowels", ()=>vowels(words), name, turns);
        run("chain", ()=>chain(500), name, turns);
        run("primes", ()=>primes(5000000n), name, turns);
        run("queens", ()=>queens(11n), name, turns);
        run("lu", ()=>lu(500), name, turns);
        val wave = new Rail[Complex](1 << 18, (i:Long)=>Complex((i % 17) * 0.1, 0.0));
        run("fourier", ()=>{ fourier(wave); wave(wave.size / 2).re > 0.0 }, name, turns);
        val tree = term(14, 1);
        run("terms", ()=>terms(tree), name, turns);
        run("linked", ()=>linked(1000000), name, turns);
        run("generic", ()=>generic(1000000), name, turns);
        run("mixed", ()=>mixed(20000000n), name, turns);
        val rail = values.toRail();
        run("folded", ()=>folded(rail), name, turns);
        val parts = new Rail[Double](1 << 20);
        run("chunks", ()=>chunks(parts), name, turns);
        run("collatz", ()=>collatz(500000), name, turns);
    }
}
