// Exceptions and static fields across places, distributed arrays, a bag of tasks, annealing.
import x10.array.*;
import x10.glb.*;
import x10.util.*;
import x10.util.concurrent.AtomicLong;

public class remote {
    static val STARTED = "started at " + here.id;
    static val TABLE = new Rail[Long](5, (i:Long) => i * i);
    static class Fault(where:Long) extends Exception {
        def this(where:Long) { super("fault " + where); property(where); }
    }

    static def stencil() {
        val n = 24;
        val a = new DistArray_Block_2[Double](n, n, (i:Long, j:Long) => i == 0 ? 1.0 : 0.0);
        val b = new DistArray_Block_2[Double](n, n);
        finish for (p in Place.places()) at (p) async {
            for ([i, j] in a.localIndices()) b(i, j) = a(i, j) * 2.0 + j;
        }
        val sum = b.reduce((x:Double, y:Double) => x + y, 0.0);
        Console.OUT.println("array " + sum);
    }

    static def anneal(seed:Long):Double {
        val random = new Random(seed);
        var x:Double = 4.0, best:Double = 1e9, t:Double = 1.0;
        val cost = (x:Double) => x * x + 3.0 * Math.cos(5.0 * x);
        for (i in 1..2000) {
            val y = x + (random.nextDouble() - 0.5);
            val d = cost(y) - cost(x);
            if (d < 0.0 || random.nextDouble() < Math.exp(-d / t)) x = y;
            best = Math.min(best, cost(x));
            t *= 0.998;
        }
        return best;
    }

    public static def main(args:Rail[String]) {
        try {
            finish for (p in Place.places()) at (p) async {
                if (here.id >= 0) throw new Fault(here.id);
            }
        } catch (e:MultipleExceptions) {
            val found = new Rail[Boolean](Place.numPlaces());
            for (x in e.exceptions()) found((x as Fault).where) = true;
            var all:Boolean = true;
            for (x in found) all &= x;
            Console.OUT.println(e.exceptions.size == Place.numPlaces() && all);
        }
        val far = Place.places()(Place.numPlaces() - 1);
        try { at (far) { val r = new Rail[Long](2); r(2 + here.id) = 1; } }
        catch (e:ArrayIndexOutOfBoundsException) { Console.OUT.println("caught here: " + (e.getMessage() != null)); }
        try { val x = at (far) { TABLE(3) / (TABLE(0)) }; Console.OUT.println(x); }
        catch (e:ArithmeticException) { Console.OUT.println("caught " + e.getMessage()); }
        finally { Console.OUT.println("finally"); }
        Console.OUT.println((at (far) TABLE(4)) + " " + STARTED.startsWith("started at "));
        stencil();
        val bests = new Rail[Double](4);
        finish for (i in 0..3) async bests(i) = anneal(i + 1);
        RailUtils.sort(bests);
        Console.OUT.printf("best %.2f\n", bests(0));
        val total = new GlobalRef[AtomicLong](new AtomicLong(0));
        finish for (p in Place.places()) at (p) async for (i in 1..10) async { val v = i; at (total) async total().addAndGet(v); }
        Console.OUT.println(total().get() == 55 * Place.numPlaces());
        Console.OUT.println(finish (Reducible.SumReducer[Long]()) { for (i in 1..100) async offer i; });
    }
}
