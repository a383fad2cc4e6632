import x10.array.*;
import x10.util.*;

/** Sequential kernels, the same as in sequential.cpp. Arguments: the name of one, and how often it runs. Prints a checksum. */
public class sequential {
    static def matmul(a:Array_2[Double], b:Array_2[Double], c:Array_2[Double], n:Long) {
        for (i in 0..(n - 1)) {
            for (j in 0..(n - 1)) c(i, j) = 0.0;
            for (k in 0..(n - 1)) {
                val x = a(i, k);
                for (j in 0..(n - 1)) c(i, j) += x * b(k, j);
            }
        }
    }

    static def dot(a:Array_2[Double], b:Array_2[Double], c:Array_2[Double], n:Long) {
        for ([i, j] in c.indices()) {
            var sum:Double = 0.0;
            for (k in 0..(n - 1)) sum += a(i, k) * b(k, j);
            c(i, j) = sum;
        }
    }

    static def stencil(from:Array_2[Double], to:Array_2[Double], n:Long) {
        for ([i, j] in (1..(n - 2)) * (1..(n - 2)))
            to(i, j) = 0.25 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1));
    }

    static struct Body(x:Double, y:Double, z:Double, mass:Double) { }

    static struct Force(x:Double, y:Double, z:Double) {
        operator this + (f:Force) = Force(x + f.x, y + f.y, z + f.z);
    }

    static def pull(a:Body, b:Body):Force {
        val dx = b.x - a.x;
        val dy = b.y - a.y;
        val dz = b.z - a.z;
        val square = dx * dx + dy * dy + dz * dz + 0.01;
        val scale = b.mass / (square * Math.sqrt(square));
        return Force(dx * scale, dy * scale, dz * scale);
    }

    static def bodies(all:Rail[Body], forces:Rail[Force]) {
        for (i in all.range) {
            var sum:Force = Force(0.0, 0.0, 0.0);
            for (body in all) sum = sum + pull(all(i), body);
            forces(i) = sum;
        }
    }

    static def entry(i:Long, j:Long):Double = 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1);

    static def spectral(n:Long):Double {
        val u = new Rail[Double](n, 1.0);
        val v = new Rail[Double](n);
        for (turn in 1..4) {
            for (i in 0..(n - 1)) {
                var sum:Double = 0.0;
                for (j in 0..(n - 1)) sum += entry(i, j) * u(j);
                v(i) = sum;
            }
            for (i in 0..(n - 1)) {
                var sum:Double = 0.0;
                for (j in 0..(n - 1)) sum += entry(j, i) * v(j);
                u(i) = sum;
            }
        }
        return u(0);
    }

    static def sieve(n:Long):Long {
        val composite = new Rail[Boolean](n + 1);
        var count:Long = 0;
        for (i in 2..n) {
            if (composite(i)) continue;
            count++;
            for (var k:Long = i * i; k <= n; k += i) composite(k) = true;
        }
        return count;
    }

    static def regions(a:x10.regionarray.Array[Double](2), n:Long):Double {
        var sum:Double = 0.0;
        for ([i, j] in a.region) {
            a(i, j) += 0.5 * i + j;
            sum += a(i, j);
        }
        return sum;
    }

    static def text(n:Long):Long {
        val built = new StringBuilder();
        for (i in 1..n) {
            built.add("line ");
            built.add(i);
            built.add(';');
        }
        val all = built.result();
        var sum:Long = 0;
        for (i in 0n..(all.length() - 1n)) sum = sum * 31 + all.charAt(i).ord();
        return sum;
    }

    static def map(n:Long):Long {
        val counts = new HashMap[Long, Long]();
        for (i in 1..n) {
            val key = i * 7919 % (n / 4);
            counts.put(key, counts.getOrElse(key, 0) + i);
        }
        var sum:Long = 0;
        for (i in 0..(n / 4)) sum += counts.getOrElse(i, 1) * i;
        return sum;
    }

    static def list(n:Long):Long {
        val all = new ArrayList[Long]();
        for (i in 1..n) all.add(i * i % 1013);
        var sum:Long = 0;
        for (turn in 1..4) {
            for (i in 0..(all.size() - 1)) sum += all(i) * turn;
            for (x in all) sum += x;
        }
        return sum;
    }

    static abstract class Shape {
        abstract def area():Double;
    }

    static class Square(side:Double) extends Shape {
        def area() = side * side;
    }

    static class Circle(radius:Double) extends Shape {
        def area() = 3.0 * radius * radius;
    }

    static def shapes(all:Rail[Shape]):Double {
        var sum:Double = 0.0;
        for (shape in all) sum += shape.area();
        return sum;
    }

    static def fib(n:Long):Long = n < 2 ? n : fib(n - 1) + fib(n - 2);

    static def mandelbrot(n:Long):Long {
        var inside:Long = 0;
        for (i in 0..(n - 1)) for (j in 0..(n - 1)) {
            val c = Complex(3.0 * i / n - 2.0, 2.0 * j / n - 1.0);
            var z:Complex = Complex(0.0, 0.0);
            var turn:Long = 0;
            while (turn < 100 && z.re * z.re + z.im * z.im <= 4.0) {
                z = z * z + c;
                turn++;
            }
            if (turn == 100) inside++;
        }
        return inside;
    }

    static def random(n:Long):Double {
        val random = new Random(42);
        var sum:Double = 0.0;
        for (i in 1..n) sum += random.nextDouble();
        return sum;
    }

    static def words(names:Rail[String], n:Long):Long {
        val counts = new HashMap[String, Long]();
        for (i in 0..(n - 1)) {
            val name = names(i * 7919 % names.size);
            counts(name) = counts.getOrElse(name, 0) + i;
        }
        return counts.getOrElse("word17", 0);
    }

    static def concat(n:Long):Long {
        var length:Long = 0;
        for (i in 1..n) {
            val line = "item " + i + ", next " + (i + 1);
            length += line.length();
        }
        return length;
    }

    static def jagged(a:Rail[Rail[Double]], b:Rail[Rail[Double]], c:Rail[Rail[Double]]):Double {
        val n = a.size;
        for (i in 0..(n - 1)) {
            for (j in 0..(n - 1)) c(i)(j) = 0.0;
            for (k in 0..(n - 1)) for (j in 0..(n - 1)) c(i)(j) += a(i)(k) * b(k)(j);
        }
        return c(7)(9);
    }

    static def closures(a:Rail[Double], b:Rail[Double]):Double {
        val factor = a(1);
        RailUtils.map(a, b, (x:Double)=>x * factor + 1.0);
        return RailUtils.reduce(b, (x:Double, y:Double)=>x + y * y, 0.0);
    }

    static def arrayClosures(a:Array_2[Double], b:Array_2[Double]):Double {
        val factor = a(0, 1);
        a.map(b, (x:Double)=>x * factor + 1.0);
        return b.reduce((x:Double, y:Double)=>x + y * y, 0.0);
    }

    static def integrate(f:(Double)=>Double, n:Long):Double {
        var sum:Double = 0.0;
        for (i in 0..(n - 1)) sum += f((i + 0.5) / n);
        return sum / n;
    }

    static def sort(values:Rail[Long]):Long {
        val copy = new Rail[Long](values);
        RailUtils.sort(copy);
        return copy(copy.size / 2);
    }

    static def move(all:Array_2[Body]):Double {
        for ([i, j] in all.indices()) {
            val body = all(i, j);
            all(i, j) = Body(body.x + 0.25 * body.mass, body.y + 0.5, body.z - body.x, body.mass);
        }
        return all(3, 4).z;
    }

    static def mathematics(a:Rail[Double]):Double {
        var sum:Double = 0.0;
        for (x in a) sum += Math.sin(x) * Math.exp(-x) + Math.pow(x, 1.5) + Math.abs(Math.cos(x)) + Math.max(x, 0.5);
        return sum;
    }

    static class Tree {
        val left:Tree;
        val right:Tree;
        val value:Long;
        def this(left:Tree, right:Tree, value:Long) { this.left = left; this.right = right; this.value = value; }
    }

    static def grow(depth:Long):Tree = depth == 0 ? null : new Tree(grow(depth - 1), grow(depth - 1), depth);

    static def sumOf(tree:Tree):Long = tree == null ? 0 : sumOf(tree.left) + tree.value + sumOf(tree.right);

    static def run(name:String, kernel:()=>Double, wanted:String, turns:Long) {
        if (!name.equals(wanted)) return;
        // Through a rail, so that nobody sees that every iteration gives the same.
        val held = new Rail[()=>Double](1, kernel);
        var result:Double = 0.0;
        for (turn in 1..turns) result = held(0)();
        Console.OUT.println(result);
    }

    public static def main(args:Rail[String]) {
        val name = args(0);
        val turns = Long.parse(args(1));
        val n = 512;
        val a = new Array_2[Double](n, n, (i:Long, j:Long)=>(i * 7 + j * 3) % 11 as Double);
        val b = new Array_2[Double](n, n, (i:Long, j:Long)=>(i * 5 + j * 2) % 13 as Double);
        val c = new Array_2[Double](n, n);
        run("matmul", ()=>{ matmul(a, b, c, n); c(17, 19) }, name, turns);
        run("dot", ()=>{ dot(a, b, c, n); c(17, 19) }, name, turns);
        val m = 2048;
        val p = new Array_2[Double](m, m, (i:Long, j:Long)=>(i + j) % 5 as Double);
        val q = new Array_2[Double](m, m);
        run("stencil", ()=>{ stencil(p, q, m); stencil(q, p, m); p(100, 100) }, name, turns);
        val all = new Rail[Body](2000, (i:Long)=>Body((i % 17) as Double, (i % 23) as Double, (i % 29) as Double, 1.0 + i % 3));
        val forces = new Rail[Force](all.size, Force(0.0, 0.0, 0.0));
        run("bodies", ()=>{ bodies(all, forces); forces(7).x }, name, turns);
        run("spectral", ()=>spectral(1000), name, turns);
        run("sieve", ()=>sieve(5000000) as Double, name, turns);
        run("text", ()=>text(200000) as Double, name, turns);
        run("map", ()=>map(1000000) as Double, name, turns);
        run("list", ()=>list(1000000) as Double, name, turns);
        val figures = new Rail[Shape](1000000, (i:Long)=>i * 7 % 3 == 0 ? new Square(i as Double) as Shape : new Circle(i as Double));
        run("shapes", ()=>shapes(figures), name, turns);
        val r = new x10.regionarray.Array[Double](x10.regionarray.Region.make(0..1999, 0..1999), 1.0);
        run("regions", ()=>regions(r, 2000), name, turns);
        run("fib", ()=>fib(32) as Double, name, turns);
        run("mandelbrot", ()=>mandelbrot(400) as Double, name, turns);
        run("random", ()=>random(10000000), name, turns);
        val names = new Rail[String](5000, (i:Long)=>"word" + i);
        run("words", ()=>words(names, 1000000) as Double, name, turns);
        run("concat", ()=>concat(500000) as Double, name, turns);
        val rows = new Rail[Rail[Double]](400, (i:Long)=>new Rail[Double](400, (j:Long)=>(i + j) % 7 as Double));
        val result = new Rail[Rail[Double]](400, (i:Long)=>new Rail[Double](400));
        run("jagged", ()=>jagged(rows, rows, result), name, turns);
        val numbers = new Rail[Double](1000000, (i:Long)=>i % 100 * 0.01);
        val others = new Rail[Double](1000000);
        run("closures", ()=>closures(numbers, others), name, turns);
        val plane = new Array_2[Double](1000, 1000, (i:Long, j:Long)=>(i + j) % 100 * 0.01);
        val other = new Array_2[Double](1000, 1000);
        run("arrayClosures", ()=>arrayClosures(plane, other), name, turns);
        run("integrate", ()=>integrate((x:Double)=>4.0 / (1.0 + x * x), 5000000), name, turns);
        val random = new Random(7);
        val values = new Rail[Long](500000, (i:Long)=>(random.nextDouble() * 1e9) as Long);
        run("sort", ()=>sort(values) as Double, name, turns);
        val grid = new Array_2[Body](1000, 1000, Body(1.0, 2.0, 3.0, 4.0));
        run("move", ()=>move(grid), name, turns);
        run("mathematics", ()=>mathematics(numbers), name, turns);
        val tree = grow(20);
        run("tree", ()=>sumOf(tree) as Double, name, turns);
    }
}
