import x10.array.*;
import x10.regionarray.*;
import x10.regionarray.Dist;
import x10.util.ArrayList;

/** Loops over points: in the order of the points, with jumps, over spaces of all kinds. */
public class point_loops {
    static def dense() {
        var text:String = "";
        outer: for ([i, j] in (0..3) * (0..3)) {
            if (j == 1) continue;
            for ([k] in new DenseIterationSpace_1(0, 5)) {
                if (k == 1) continue;
                if (k == 3) break;
                if (i == 1 && j == 2) continue outer;
                if (i == 2 && j == 3) break outer;
                text += " " + i + j + k;
            }
        }
        Console.OUT.println(text);
        text = "";
        for (p in (0..1) * (2..1) * (0..1)) text += p;
        for ([i, j] in (1..0) * (0..5)) text += i;
        for (p[i, j, k] in (0..1) * (5..6) * (7..7)) text += p + ":" + (i + j + k) + " ";
        Console.OUT.println(text);
        var count:Long = 0;
        for ([i, j, k, l] in (0..2) * (0..2) * (0..2) * (0..2)) count += i * 1000 + j * 100 + k * 10 + l;
        Console.OUT.println(count);
        // The largest Long ends a loop as well.
        count = 0;
        for ([i, j] in ((Long.MAX_VALUE - 1)..Long.MAX_VALUE) * (Long.MAX_VALUE..Long.MAX_VALUE)) count++;
        Console.OUT.println(count);
    }

    static def regions() {
        var text:String = "";
        for ([i, j] in Region.make(0..2, 0..2)) {
            if (i == j) continue;
            if (i == 2 && j == 1) break;
            text += " " + i + j;
        }
        Console.OUT.println(text);
        text = "";
        for (p[i, j] in Region.makeUpperTriangular(3)) text += " " + i + j + p;
        for (p in Region.make(0..1, 0..1, 0..1)) text += p;
        for (p in Region.makeEmpty(2)) text += "never";
        for ([i, j] in Region.makeEmpty(2)) text += "never";
        for (p in Region.makeUnit()) text += p;
        Console.OUT.println(text);
        val array = new x10.regionarray.Array[Long](Region.make(1..2, 3..4), (p:Point)=>p(0) * p(1));
        var sum:Long = 0;
        for ([i, j] in array) sum += array(i, j);
        for (p in array) sum += array(p);
        for (p in Dist.makeConstant(array.region)) sum += p(0);
        Console.OUT.println(sum);
        val any:IterationSpace = (0..1) * (3..4);
        for ([i, j] in any) text = i + "," + j;
        for (p in any) text += p;
        Console.OUT.println(text);
        try {
            val flat:Region = Region.make(0..1);
            for ([i, j] in flat) text += i + j;
            Console.OUT.println("taken apart");
        } catch (e:Exception) {
            Console.OUT.println("not two axes");
        }
    }

    static class Primes extends IterationSpace {
        private val values = [2, 3, 5, 7, 11];

        def this() { super(1, false); }
        public def iterator():Iterator[Point(this.rank)] {
            val points = new ArrayList[Point]();
            for (value in values) points.add(Point.make(value));
            return points.iterator() as Iterator[Point(this.rank)];
        }
        public def min(i:Long):Long = 2;
        public def max(i:Long):Long = 11;
        public def isEmpty():Boolean = false;
        public def size():Long = 5;
    }

    static def captured() {
        val sums = new Rail[Long](4);
        finish for ([i, j] in (0..3) * (1..10)) async { atomic sums(i) += i * j; }
        Console.OUT.println(sums);
        val closures = new ArrayList[()=>Long]();
        for (p[i, j] in Region.make(0..1, 0..1)) closures.add(()=>10 * i + j + 100 * p(0));
        for (f in closures) Console.OUT.print(f() + " ");
        Console.OUT.println();
        for (p in new Primes()) Console.OUT.print(p);
        for ([i] in new Primes()) Console.OUT.print(" " + i);
        Console.OUT.println();
    }

    public static def main(args:Rail[String]) {
        dense();
        regions();
        captured();
    }
}
