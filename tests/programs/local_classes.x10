/** Local, anonymous and inner classes: the variables of the code around that they use, the objects around them, generics. */
public class local_classes {
    interface Shape { def area():Long; def name():String; }
    static abstract class Named(label:String) {
        val id:Long;
        def this(label:String, id:Long) { property(label); this.id = id; }
        abstract def size():Long;
        public def toString() = label + "#" + id + "=" + size();
    }

    val factor:Long;
    def this(factor:Long) { this.factor = factor; }

    static def square(side:Long):Shape = new Shape() {
        public def area() = side * side;
        public def name() = "square " + side;
    };

    def scaled(a:Long, b:Long):Named {
        val sum = a + b;
        return new Named("scaled", a) {
            val twice = sum * 2;
            def size() = (twice + b) * factor;
        };
    }

    static def counter(start:Long, step:Long):()=>Long {
        class Counter {
            var now:Long = start;
            def next():Long { now += step; return now; }
            def fresh():Counter = new Counter();
        }
        class Doubled extends Counter {
            def next():Long { super.next(); return super.next(); }
        }
        val c = new Doubled();
        c.next();
        Console.OUT.print(c.now + " " + c.fresh().next() + " ");
        return () => c.next();
    }

    static def deep(x:Long):String {
        val y = x + 1;
        class One {
            val z = y * 10;
            def two(w:Long) {
                class Two {
                    def all() = x + "," + y + "," + z + "," + w;
                    def other() = new Three().get();
                }
                return new Two();
            }
        }
        class Three { def get() = x * 100; }
        val two = new One().two(7);
        return two.all() + "," + new One().z;
    }

    static def pair[T,U](t:T, u:U):String {
        class Pair[V] {
            val v:V;
            def this(v:V) { this.v = v; }
            def first():T = t;
            def second():U = u;
            public def toString() = "(" + first() + "," + second() + "," + v + ")";
        }
        return new Pair[Long](3).toString() + new Pair[String]("s");
    }

    class Inner[T] {
        val item:T;
        def this(item:T) { this.item = item; }
        def scaled() = item + "*" + factor;
        class Deeper { def both() = item + "/" + factor; }
    }

    static class Box[T] {
        val content:T;
        def this(content:T) { this.content = content; }
        class Item { def get():T = content; def same() = this; }
        def item() = new Item();
    }
    static class LongBox extends Box[Long] {
        def this(n:Long) { super(n); }
        class More extends Item { def get():Long = super.get() + 1; }
    }

    /** An inner class that extends the class around it. */
    static class Chain[T] {
        val label:T;
        def this(label:T) { this.label = label; }
        class Link extends Chain[Long] {
            val own:T;
            def this(own:T) { super(7); this.own = own; }
            def this(own:T, more:Long) { this(own); }
            def all() = this.label + " " + own + " " + Chain.this.label;
        }
    }

    static def same[T,U]() = T == U;

    static struct Acc(n:Long) { def plus(k:Long):()=>Long { class L { def v() = n + k; } return () => new L().v(); } }

    public static def main(args:Rail[String]) {
        val s = square(5);
        Console.OUT.println(s.name() + " " + s.area());
        val outer = new local_classes(3);
        Console.OUT.println(outer.scaled(1, 2));
        val f = counter(10, 5);
        Console.OUT.println(f() + " " + f());
        Console.OUT.println(deep(1));
        Console.OUT.println(pair("a", 'b'));
        val inner = outer.new Inner[String]("x");
        Console.OUT.println(inner.scaled() + " " + inner.new Deeper().both());
        val box = new Box[String]("content");
        val item:Box[String].Item = box.new Item();
        Console.OUT.println(item.get().length() + item.same().get() + box.item().get().length());
        val n:Long = new LongBox(41).new More().get();
        Console.OUT.println(n);
        Console.OUT.println(new Chain[String]("chain").new Link("own", 1).all());
        Console.OUT.println(same[Long,Long]() + " " + same[Long,String]());
        Console.OUT.println(Acc(4).plus(5)());
        val total = new Cell[Long](0);
        finish for (i in 1..4) async {
            class Job { def run() { atomic total() = total() + i; } }
            new Job().run();
        }
        Console.OUT.println(total());
        val here1 = here.id;
        val there = at (Place.places().next(here)) {
            val o = new Object2() { public def value() = here1 + 100; };
            o.value()
        };
        Console.OUT.println(there);
        val plus = (k:Long) => new Object2() { public def value() = here1 + k + n; };
        Console.OUT.println(plus(5).value());
    }
    static class Object2 { public def value():Long = -1; }
}
