import x10.array.*;

/** Loops whose tests of indices are made beforehand: each raises its exception exactly where ordinary code does, or not at all. */
public class loop_nests {
    static N = 6;
    static failures = new Cell[Long](0);

    /** Runs body; prints how many iterations it made, and the exception that ended it. */
    static def turns(name:String, body:(Cell[Long])=>void) {
        val count = new Cell[Long](0);
        try {
            body(count);
            Console.OUT.println(name + ": " + count() + " turns");
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println(name + ": " + count() + " turns, then " + e.getMessage());
        } catch (e:NullPointerException) {
            Console.OUT.println(name + ": " + count() + " turns, then null");
        }
    }

    static def square(a:Rail[Long], n:Long, count:Cell[Long]) {
        for (i in 0..(n - 1)) for (j in 0..(n - 1)) {
            a(i * n + j) += i + j;
            count()++;
        }
    }

    static def flat(a:Rail[Double], b:Rail[Double], c:Rail[Double], n:Long) {
        for (var i:Long = 0; i < n; i++)
            for (var j:Long = 0; j < n; j++) {
                var sum:Double = 0;
                for (var k:Long = 0; k < n; ++k) sum += a(i * n + k) * b(k * n + j);
                c(i * n + j) = sum;
            }
        return c(n * n - 1);
    }

    static def triangle(a:Rail[Long], n:Long, count:Cell[Long]) {
        for (i in 0..(n - 1)) for (j in (i + 1)..(n - 1)) {
            a(j - i) += j;
            count()++;
        }
    }

    static def steps(a:Rail[Long], from:Long, to:Long, step:Long, count:Cell[Long]) {
        for (var i:Long = from; i <= to; i += step) {
            a(i)++;
            count()++;
            if (count() > 20) break;
        }
    }

    static def down(a:Rail[Long], from:Long, to:Long, count:Cell[Long]) {
        for (var i:Long = from; i >= to; i--) {
            a(a.size - 1 - i)++;
            count()++;
        }
    }

    static def ints(a:Rail[Int], first:Int, last:Int, offset:Int, count:Cell[Long]) {
        for (i in first..last) {
            a(i + offset)++;
            count()++;
        }
    }

    static def changed(first:Rail[Long], second:Rail[Long], count:Cell[Long]) {
        var a:Rail[Long] = first;
        for (i in 0..(N - 1)) {
            if (i == 3) a = second;
            a(i)++;
            count()++;
        }
    }

    static def swapped(n:Long):Long {
        var a:Rail[Long] = new Rail[Long](n, (i:Long)=>i);
        var b:Rail[Long] = new Rail[Long](n);
        for (turn in 1..4) {
            for (i in 1..(n - 2)) b(i) = a(i - 1) + a(i + 1);
            val c = a;
            a = b;
            b = c;
        }
        var sum:Long = 0;
        for (x in a) sum = sum * 7 + x;
        return sum;
    }

    static class Holder(rail:Rail[Long], grid:Array_2[Long]) {
        def fill(count:Cell[Long]) {
            for (i in 0..(grid.numElems_1 - 1)) for (j in 0..(grid.numElems_2 - 1)) {
                grid(i, j) = rail(i + j);
                count()++;
            }
        }
    }

    static def held(h:Holder, count:Cell[Long]) {
        for (var i:Long = 0; i < h.rail.size; i++) {
            h.rail(i)++;
            count()++;
        }
    }

    static def condition(a:Rail[Long]):Long {
        var i:Long;
        var found:Long = 0;
        for (i = 0; i < a.size && a(i) < 100; i++) found++;
        for (var k:Long = 0; k < 20 && (k >= a.size || a(k) < 100); k++) found++;
        return found;
    }

    static def moved(a:Rail[Long], count:Cell[Long]) {
        for (var i:Long = 0; i < a.size; i++) {
            a(i)++;
            count()++;
            if (i == 2) i += 5;
        }
    }

    static def stencil(a:Array_2[Double], b:Array_2[Double], low:Long, high:Long, count:Cell[Long]) {
        for ([i, j] in (low..high) * (low..high)) {
            b(i, j) = a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1);
            count()++;
        }
    }

    static def wide(a:Rail[Long], count:Cell[Long]) {
        for (i in (Long.MAX_VALUE - 3)..Long.MAX_VALUE) {
            a(i - Long.MAX_VALUE + 3)++;
            a(i + Long.MIN_VALUE - (Long.MAX_VALUE - Long.MAX_VALUE))++;
            count()++;
        }
    }

    static def ends(a:Rail[Long], count:Cell[Long]) {
        for (var i:Long = Long.MAX_VALUE - 1; i <= Long.MAX_VALUE; i++) {
            a(i - (Long.MAX_VALUE - 1))++;
            count()++;
        }
    }

    public static def main(args:Rail[String]) {
        val n = N;
        val full = ()=>new Rail[Long](n * n);
        turns("square", (c:Cell[Long])=>square(full(), n, c));
        turns("square too small", (c:Cell[Long])=>square(new Rail[Long](n * n - 2), n, c));
        turns("square of none", (c:Cell[Long])=>square(null, 0, c));
        turns("square in null", (c:Cell[Long])=>square(null, 2, c));
        val m = new Rail[Double](n * n, (i:Long)=>(i % 5) as Double);
        Console.OUT.println(flat(m, m, new Rail[Double](n * n), n));
        turns("triangle", (c:Cell[Long])=>triangle(full(), n, c));
        turns("triangle too small", (c:Cell[Long])=>triangle(new Rail[Long](4), n, c));
        turns("steps", (c:Cell[Long])=>steps(full(), 1, 30, 7, c));
        turns("steps below", (c:Cell[Long])=>steps(full(), -1, 30, 7, c));
        turns("steps beyond", (c:Cell[Long])=>steps(full(), 1, 40, 7, c));
        turns("no steps", (c:Cell[Long])=>steps(full(), 1, 30, 0, c));
        turns("steps back", (c:Cell[Long])=>steps(full(), 3, 30, -1, c));
        turns("huge steps", (c:Cell[Long])=>steps(full(), 3, Long.MAX_VALUE, Long.MAX_VALUE - 3, c));
        turns("down", (c:Cell[Long])=>down(full(), n, 0, c));
        turns("down too far", (c:Cell[Long])=>down(full(), 2, -2, c));
        turns("down from too far", (c:Cell[Long])=>down(full(), 40, 0, c));
        turns("ints", (c:Cell[Long])=>ints(new Rail[Int](n), -2n, 2n, 2n, c));
        turns("ints below", (c:Cell[Long])=>ints(new Rail[Int](n), -2n, 2n, 1n, c));
        turns("ints that wrap", (c:Cell[Long])=>ints(new Rail[Int](n), Int.MAX_VALUE - 2n, Int.MAX_VALUE, 10n, c));
        turns("changed", (c:Cell[Long])=>changed(full(), full(), c));
        turns("changed to a smaller one", (c:Cell[Long])=>changed(full(), new Rail[Long](5), c));
        Console.OUT.println(swapped(10));
        turns("holder", (c:Cell[Long])=>new Holder(new Rail[Long](7), new Array_2[Long](4, 4)).fill(c));
        turns("holder too small", (c:Cell[Long])=>new Holder(new Rail[Long](6), new Array_2[Long](4, 4)).fill(c));
        turns("held", (c:Cell[Long])=>held(new Holder(new Rail[Long](3), null), c));
        turns("held by null", (c:Cell[Long])=>held(null, c));
        turns("null held", (c:Cell[Long])=>held(new Holder(null, null), c));
        Console.OUT.println(condition(new Rail[Long](5, 10)));
        turns("moved", (c:Cell[Long])=>moved(full(), c));
        val grid = ()=>new Array_2[Double](n, n);
        turns("stencil", (c:Cell[Long])=>stencil(grid(), grid(), 1, n - 2, c));
        turns("stencil at the border", (c:Cell[Long])=>stencil(grid(), grid(), 1, n - 1, c));
        turns("stencil in null", (c:Cell[Long])=>stencil(grid(), null, 1, n - 2, c));
        turns("wide", (c:Cell[Long])=>wide(full(), c));
        turns("ends", (c:Cell[Long])=>ends(full(), c));
    }
}
