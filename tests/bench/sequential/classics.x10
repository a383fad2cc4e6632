import x10.array.Array_2;
import x10.util.*;

/** More small programs, the same as in classics.cpp. Arguments: the name of one, and how often it runs. Prints a checksum. */
public class classics {
    static def floyd(n:Long):Long {
        val d = new Array_2[Long](n, n, (i:Long, j:Long)=>i == j ? 0 : (i * 7919 + j * 104729) % 1000 + 1);
        for (k in 0..(n - 1))
            for (i in 0..(n - 1))
                for (j in 0..(n - 1))
                    if (d(i, k) + d(k, j) < d(i, j)) d(i, j) = d(i, k) + d(k, j);
        var sum:Long = 0;
        for (i in 0..(n - 1)) for (j in 0..(n - 1)) sum += d(i, j);
        return sum;
    }

    static def knapsack(n:Long, room:Long):Long {
        val best = new Rail[Long](room + 1);
        for (i in 1..n) {
            val weight = i * 37 % 91 + 5;
            val value = i * 53 % 97 + 1;
            for (var w:Long = room; w >= weight; w--) best(w) = Math.max(best(w), best(w - weight) + value);
        }
        return best(room);
    }

    static def breadth(edges:Rail[ArrayList[Long]]):Long {
        val level = new Rail[Long](edges.size, -1);
        val queue = new ArrayList[Long]();
        level(0) = 0;
        queue.add(0);
        var next:Long = 0;
        while (next < queue.size()) {
            val node = queue(next++);
            for (to in edges(node)) {
                if (level(to) < 0) {
                    level(to) = level(node) + 1;
                    queue.add(to);
                }
            }
        }
        var sum:Long = 0;
        for (l in level) sum += l;
        return sum;
    }
    static def random(n:Long):Rail[ArrayList[Long]] {
        var x:Long = 7;
        val edges = new Rail[ArrayList[Long]](n, (i:Long)=>new ArrayList[Long]());
        for (i in 0..(n - 1)) {
            for (k in 1..6) {
                x = (x * 1103515245 + 12345) & 0x7fffffff;
                edges(i).add((x >> 8) % n);
            }
        }
        return edges;
    }

    static def permute(a:Rail[Int], k:Int, visit:(Rail[Int])=>void):void {
        if (k == 1n) {
            visit(a);
            return;
        }
        for (i in 0n..(k - 1n)) {
            permute(a, k - 1n, visit);
            val j = k % 2n == 0n ? i : 0n;
            val t = a(j);
            a(j) = a(k - 1n);
            a(k - 1n) = t;
        }
    }
    static def permutations(n:Int):Long {
        val sum = new Cell[Long](0);
        permute(new Rail[Int](n, (i:Long)=>i as Int), n, (a:Rail[Int])=>{ sum() = sum() * 3 % 1000003 + a(0) * a(n - 1n); });
        return sum();
    }

    static struct Rational(num:Long, den:Long) {
        static def gcd(a:Long, b:Long):Long = b == 0 ? a : gcd(b, a % b);
        static def make(num:Long, den:Long):Rational {
            val g = gcd(Math.abs(num), den);
            return Rational(num / g, den / g);
        }
        operator this + (o:Rational) = make(num * o.den + o.num * den, den * o.den);
        operator this * (o:Rational) = make(num * o.num, den * o.den);
    }
    static def rationals(n:Long):Long {
        var sum:Long = 0;
        for (i in 1..n) {
            var r:Rational = Rational(1, i % 9 + 1);
            for (k in 1..6) r = (r + Rational(k, k + 1)) * Rational(k, i % 5 + 2);
            sum += (r.num + r.den) % 1000;
        }
        return sum;
    }

    static class Tree {
        val left:Tree;
        val right:Tree;
        def this(depth:Int) {
            left = depth == 0n ? null : new Tree(depth - 1n);
            right = depth == 0n ? null : new Tree(depth - 1n);
        }
        def count():Long = left == null ? 1 : 1 + left.count() + right.count();
    }
    static def trees(depth:Int):Long {
        var sum:Long = 0;
        for (i in 1..10) sum += new Tree(depth).count();
        return sum;
    }

    static def distance(a:String, b:String):Int {
        var before:Rail[Int] = new Rail[Int](b.length() + 1, (j:Long)=>j as Int);
        var now:Rail[Int] = new Rail[Int](b.length() + 1);
        for (i in 1n..a.length()) {
            now(0) = i;
            for (j in 1n..b.length()) {
                val change = before(j - 1n) + (a.charAt(i - 1n) == b.charAt(j - 1n) ? 0n : 1n);
                now(j) = Math.min(change, Math.min(before(j), now(j - 1n)) + 1n);
            }
            val t = before;
            before = now;
            now = t;
        }
        return before(b.length());
    }

    static def place(n:Int, row:Int, columns:Int, left:Int, right:Int, found:()=>void):void {
        if (row == n) {
            found();
            return;
        }
        var free:Int = ((1n << n) - 1n) & ~(columns | left | right);
        while (free != 0n) {
            val bit = free & -free;
            free ^= bit;
            place(n, row + 1n, columns | bit, (left | bit) << 1n, (right | bit) >> 1n, found);
        }
    }
    static def bits(n:Int):Long {
        val count = new Cell[Long](0);
        place(n, 0n, 0n, 0n, 0n, ()=>{ count() = count() + 1; });
        return count();
    }

    static struct Body(x:Double, y:Double, vx:Double, vy:Double) {
        def moved(ax:Double, ay:Double) = Body(x + vx * 0.01, y + vy * 0.01, vx + ax * 0.01, vy + ay * 0.01);
    }
    static def springs(n:Long, steps:Long):Double {
        val bodies = new Rail[Body](n, (i:Long)=>Body(i * 1.0, (i % 3) * 0.5, 0.0, 0.0));
        for (step in 1..steps) {
            for (i in 1..(n - 2)) {
                val b = bodies(i);
                val l = bodies(i - 1);
                val r = bodies(i + 1);
                bodies(i) = b.moved(l.x + r.x - 2 * b.x, l.y + r.y - 2 * b.y);
            }
        }
        var sum:Double = 0.0;
        for (b in bodies) sum += b.x * b.y;
        return sum;
    }

    static interface Shape { def area():Double; def scaled(f:Double):Shape; }
    static class Circle(r:Double) implements Shape {
        public def area() = Math.PI * r * r;
        public def scaled(f:Double) = new Circle(r * f) as Shape;
    }
    static class Block(w:Double, h:Double) implements Shape {
        public def area() = w * h;
        public def scaled(f:Double) = new Block(w * f, h * f) as Shape;
    }
    static def shapes(n:Long):Double {
        val all = new ArrayList[Shape]();
        for (i in 1..n) {
            if (i % 3 == 0) all.add(new Circle(i * 0.001)); else all.add(new Block(i * 0.001, 2.0));
        }
        var sum:Double = 0.0;
        for (turn in 1..5) for (s in all) sum += s.scaled(1.5).area() - s.area();
        return sum;
    }

    static def brackets(n:Long):Long {
        val text = new StringBuilder();
        for (i in 0..(n - 1)) text.add(i % 4 == 0 ? "(" : i % 4 == 1 ? "[" : i % 4 == 2 ? "]" : ")");
        val s = text.result();
        val open = new ArrayList[Char]();
        var matched:Long = 0;
        for (i in 0n..(s.length() - 1n)) {
            val c = s.charAt(i);
            if (c == '(' || c == '[') open.add(c);
            else if (open.removeLast() == (c == ')' ? '(' : '[')) matched++;
        }
        return matched;
    }

    static def heapsort(n:Long):Long {
        val a = new Rail[Long](n, (i:Long)=>i * 7919 % 1000003);
        for (var start:Long = n / 2 - 1; start >= 0; start--) sift(a, start, n);
        for (var end:Long = n - 1; end > 0; end--) {
            val t = a(0);
            a(0) = a(end);
            a(end) = t;
            sift(a, 0, end);
        }
        return a(n / 2);
    }
    static def sift(a:Rail[Long], start:Long, end:Long) {
        var root:Long = start;
        while (2 * root + 1 < end) {
            var child:Long = 2 * root + 1;
            if (child + 1 < end && a(child) < a(child + 1)) child++;
            if (a(root) >= a(child)) return;
            val t = a(root);
            a(root) = a(child);
            a(child) = t;
            root = child;
        }
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
        run("floyd", ()=>floyd(250), name, turns);
        run("knapsack", ()=>knapsack(200, 20000), name, turns);
        val edges = random(200000);
        run("breadth", ()=>breadth(edges), name, turns);
        run("permutations", ()=>permutations(9n), name, turns);
        run("rationals", ()=>rationals(20000), name, turns);
        run("trees", ()=>trees(14n), name, turns);
        val a = new StringBuilder();
        val b = new StringBuilder();
        for (i in 0..1999) { a.add(('a'.ord() + (i * 7 % 26) as Int) as Char); b.add(('a'.ord() + (i * 11 % 26) as Int) as Char); }
        val first = a.result();
        val second = b.result();
        run("distance", ()=>distance(first, second), name, turns);
        run("bits", ()=>bits(11n), name, turns);
        run("springs", ()=>springs(2000, 500), name, turns);
        run("shapes", ()=>shapes(50000), name, turns);
        run("brackets", ()=>brackets(1000000), name, turns);
        run("heapsort", ()=>heapsort(300000), name, turns);
    }
}
