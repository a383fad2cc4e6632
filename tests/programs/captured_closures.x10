import x10.compiler.Cold;
import x10.compiler.NoInline;
import x10.util.ArrayList;

/** Closures that closures and activities capture: optimised builds have versions of the outer ones for the inner ones. */
public class captured_closures {
    static def each(a:Rail[Long], parts:Long, f:(Long)=>Long) {
        finish for (k in 0..(parts - 1)) async {
            for (var i:Long = k; i < a.size; i += parts) a(i) = f(i);
        }
    }

    /** f, twice: in a closure in a closure. */
    static def twice(f:(Long)=>Long):(Long)=>Long = (x:Long)=>{
        val inner = (y:Long)=>f(f(y));
        inner(x)
    };

    /** Everywhere, with what the place adds. */
    static def everywhere(f:(Long)=>Long):Long {
        val sum = new Cell[Long](0);
        val home = GlobalRef[Cell[Long]](sum);
        finish for (p in Place.places()) at (p) async {
            val mine = f(10);
            at (home) atomic home()() += mine;
        }
        return sum() / Place.numPlaces();
    }

    static class Counter {
        var count:Long = 0;
        @NoInline def add(n:Long):Long { count += n; return count; }
        @Cold def reset():void { count = 0; }
    }

    static def later(f:()=>Long):()=>()=>Long = ()=>()=>f() + 1;

    static def named(f:(Long)=>Long) = ()=>f(1);

    public static def main(args:Rail[String]) {
        val a = new Rail[Long](20);
        each(a, 3, (i:Long)=>i * i);
        Console.OUT.println(a);
        each(a, 4, (i:Long)=>a(i) + 1);
        Console.OUT.println(a);
        // An unknown one.
        val all = new ArrayList[(Long)=>Long]();
        all.add((i:Long)=>i + 100);
        all.add(twice((i:Long)=>i * 3));
        for (f in all) each(a, 2, f);
        Console.OUT.println(a);
        Console.OUT.println(twice((i:Long)=>i + 7)(1) + " " + twice(twice((i:Long)=>2 * i))(1));
        val factor = args.size + 3;
        Console.OUT.println(everywhere((i:Long)=>i * factor) + " " + everywhere(twice((i:Long)=>i - factor)));
        val counter = new Counter();
        val count = later(()=>counter.add(2));
        Console.OUT.println(count()() + " " + count()());
        counter.reset();
        Console.OUT.println(count()());
        // Two versions of one closure are of one type.
        val g = named((i:Long)=>i);
        val h = named((i:Long)=>i + 1);
        Console.OUT.println(g.typeName() + " " + g().toString() + h() + " " + (g as Any instanceof ()=>Long) + " " + (g == h));
        try {
            each(a, 2, (i:Long)=>10 / (i - 5));
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions.size + " " + e.exceptions(0).getMessage());
        }
    }
}
