import x10.compiler.Ifdef;
import x10.compiler.Ifndef;
import x10.compiler.TransientInitExpr;

// What a transient field holds where its object arrives: of classes, subclasses, structs, inside rails, with type parameters.
public class transient_init {
    static class Table[T](size:Long) {
        val data:Rail[T];
        @TransientInitExpr(sum()) transient val total:T;
        @TransientInitExpr(new Rail[Long](size, (i:Long) => 10 * i)) transient val index:Rail[Long]{self != null};
        transient var plain:Long = 7;
        val add:(T, T) => T;

        def this(data:Rail[T], add:(T, T) => T) {
            property(data.size);
            this.data = data;
            this.add = add;
            this.total = data(0);
            this.index = new Rail[Long](data.size);
        }

        def sum():T {
            var sum:T = data(0);
            for (x in data) sum = add(sum, x);
            return sum;
        }
    }

    static class Marked extends Table[Long] {
        @TransientInitExpr("at " + total + ", " + name) transient val text:String = "first";
        val name:String;

        def this(name:String) {
            super([1, 2, 3], (a:Long, b:Long) => a + b);
            this.name = name;
        }
    }

    static struct Inner(n:Long) {
        @TransientInitExpr(n * n) transient val square:Long;
        def this(n:Long) {
            property(n);
            square = -1;
        }
    }

    static struct Outer {
        val inner:Inner;
        @TransientInitExpr(inner.square + 1) transient val next:Long;
        def this(n:Long) {
            inner = Inner(n);
            next = -2;
        }
    }

    static class Holder {
        val structs = new Rail[Outer](2, (i:Long) => Outer(i + 3));
        val marked = new Marked("m");
        @TransientInitExpr(marked.text.length() as Long) transient val length:Long = 0;
    }

    static def which():String {
        @Ifdef("__NEVER__") {
            return Missing.text();
        }
        @Ifndef("__NEVER__") {
            return "left";
        }
    }

    public static def main(args:Rail[String]) {
        val m = new Marked("x");
        m.plain = 8;
        val h = new Holder();
        Console.OUT.println(m.total + " " + m.text + " " + m.index(1) + " " + m.plain);
        Console.OUT.println(h.structs(1).inner.square + " " + h.structs(1).next + " " + h.length);
        val p = Place.places()(Place.numPlaces() - 1);
        at (p) {
            Console.OUT.println(m.total + " " + m.text + " " + m.index(1) + " " + m.plain);
            Console.OUT.println(h.structs(1).inner.square + " " + h.structs(1).next + " " + h.length);
            val a:Any = h.structs(0);
            at (here) {
                Console.OUT.println((a as Outer).inner.square + " " + (a as Outer).next);
            }
        }
        Console.OUT.println(which());
    }
}
