import x10.util.RailUtils;

/** Rails in rails: loops over the elements of a row, which may not be there, may be another one soon, or may be too short. */
public class rows {
    static def square(n:Long) = new Rail[Rail[Long]](n, (i:Long)=>new Rail[Long](n, (j:Long)=>10 * i + j));

    static def sum(all:Rail[Rail[Long]], i:Long, n:Long):Long {
        var sum:Long = 0;
        for (j in 0..(n - 1)) sum += all(i)(j);
        return sum;
    }

    static def scale(all:Rail[Rail[Long]], i:Long, from:Long, n:Long) {
        for (var j:Long = from; j < n; j++) all(i)(j) += all(from)(0) * j;
    }

    static def product(a:Rail[Rail[Long]], b:Rail[Rail[Long]], c:Rail[Rail[Long]]) {
        val n = a.size;
        for (i in 0..(n - 1)) for (k in 0..(n - 1)) for (j in 0..(n - 1)) c(i)(j) += a(i)(k) * b(k)(j);
    }

    /** Other rows take the place of a row while the loop runs. */
    static def turning(all:Rail[Rail[Long]], other:Rail[Long]) {
        for (j in 0..3) {
            all(0)(j) = -j;
            if (j == 1) all(0) = other;
        }
    }

    static class Table {
        val lines:Rail[Rail[Long]];
        def this(n:Long) { lines = square(n); }
        def exchange() { val first = lines(0); lines(0) = lines(1); lines(1) = first; }
        def walk(n:Long) {
            var found:Long = 0;
            for (j in 0..(n - 1)) {
                found = found * 7 + lines(0)(j);
                exchange();
            }
            return found;
        }
        def plain(i:Long) {
            var found:Long = 0;
            for (j in lines.range) found = found * 7 + lines(i)(j);
            return found;
        }
    }

    static def deep() {
        val cube = new Rail[Rail[Rail[Double]]](3, (i:Long)=>new Rail[Rail[Double]](4, (j:Long)=>new Rail[Double](5, (k:Long)=>(i + j + k) as Double)));
        for (i in 0..2) for (j in 0..3) for (k in 0..4) cube(i)(j)(k) = cube(i)(j)(k) * 2.0 + cube(0)(0)(0);
        var sum:Double = 0.0;
        for (plane in cube) for (line in plane) for (x in line) sum += x;
        return sum;
    }

    static def attempt(name:String, work:()=>void) {
        try {
            work();
            Console.OUT.println(name + ": done");
        } catch (e:Exception) {
            Console.OUT.println(name + ": " + e.typeName() + " " + e.getMessage());
        }
    }

    static def text(row:Rail[Long]) = RailUtils.reduce(row, (s:String, x:Long)=>s + " " + x, "");

    public static def main(args:Rail[String]) {
        val all = square(4);
        Console.OUT.println("sums " + sum(all, 2, 4) + " " + sum(all, 3, 0));
        scale(all, 1, 1, 4);
        Console.OUT.println("scaled" + text(all(1)));
        val result = square(4);
        product(all, all, result);
        Console.OUT.println("product" + text(result(3)));
        product(all, all, all);
        Console.OUT.println("in place" + text(all(2)));
        val other = new Rail[Long](4, 9);
        val before = all(0);
        turning(all, other);
        Console.OUT.println("turned" + text(before) + " and" + text(other));
        Console.OUT.println("walks " + new Table(4).walk(4) + " " + new Table(4).plain(3));
        Console.OUT.println("deep " + deep());
        attempt("row beyond", ()=>{ sum(all, 4, 4); });
        attempt("no row", ()=>{ sum(all, 9, 0); });
        attempt("row before", ()=>{ scale(all, -1, 0, 2); });
        all(1) = new Rail[Long](2, 5);
        attempt("short row", ()=>{ scale(all, 1, 0, 4); });
        Console.OUT.println("as far as it went" + text(all(1)));
        all(2) = null;
        attempt("null row", ()=>{ sum(all, 2, 1); });
        attempt("null row not needed", ()=>{ sum(all, 2, 0); });
        attempt("null rails", ()=>{ sum(null, 2, 1); });
        val sorted = new Rail[Long](20, (i:Long)=>i * 7 % 20);
        RailUtils.qsort(sorted, 3, 17, (a:Long, b:Long)=>b.compareTo(a));
        Console.OUT.println("sorted" + text(sorted));
        attempt("sorted beyond", ()=>{ RailUtils.qsort(sorted, 3, 20, (a:Long, b:Long)=>a.compareTo(b)); });
        val name:String = null;
        Console.OUT.println("a" + 1 + name + 'c' + 2.5 + true + null + "z" + (3 as Any) + "end");
    }
}
