/** Classes, interfaces, structs, inheritance, properties, operators, static and instance initialisation. */
interface Shape {
    def area():Double;
    def describe():String;
}

abstract class Named(name:String) implements Shape {
    static MADE = new Cell[Long](0);
    val number:Long;

    def this(name:String) {
        property(name);
        MADE() = MADE() + 1;
        number = MADE();
    }
    public def describe():String = number + ":" + name + " " + area();
    public def toString():String = "<" + name + ">";
}

class Circle extends Named {
    val radius:Double;
    def this(radius:Double) { super("circle"); this.radius = radius; }
    public def area():Double = 3.0 * radius * radius;
}

class Square extends Named {
    var side:Double = 2.0;
    def this() { super("square"); }
    public def area():Double = side * side;
    public def describe():String = "a " + super.describe();
}

struct Vec(x:Double, y:Double) {
    def this(x:Double, y:Double) { property(x, y); }
    operator this + (that:Vec):Vec = Vec(x + that.x, y + that.y);
    operator this * (factor:Double):Vec = Vec(x * factor, y * factor);
    operator (factor:Double) * this:Vec = this * factor;
    operator - this:Vec = Vec(-x, -y);
    operator this(i:Int):Double = i == 0n ? x : y;
    static operator (x:Double):Vec = Vec(x, 0.0);
    def length():Double = Math.sqrt(x * x + y * y);
}

class Counter {
    private var count:Int = 0n;
    operator this():Int = count;
    operator this()=(value:Int) { count = value; }
    def next():Counter { count++; return this; }
}

class Box[T] {
    val value:T;
    def this(value:T) { this.value = value; }
    def map[U](f:(T)=>U):Box[U] = new Box[U](f(value));
    public def toString():String = "Box(" + value + ")";
}

public class classes {
    static def first[T](rail:Rail[T]):T = rail(0);
    static LIMIT = 3 * 4;

    interface Operation {
        def on(x:Long):Long;
        static TWICE = new Twice();
        class Twice implements Operation { public def on(x:Long) = 2 * x; }
    }

    public static def main(args:Rail[String]) {
        val shapes = new Rail[Shape](2);
        shapes(0) = new Circle(2.0);
        shapes(1) = new Square();
        for (shape in shapes) Console.OUT.println(shape.describe() + " " + shape);
        val any:Any = shapes(1);
        Console.OUT.println((any instanceof Square) + " " + (any instanceof Circle) + " " + (any instanceof Shape));
        (any as Square).side = 5.0;
        Console.OUT.println(shapes(1).area());
        try {
            val wrong = any as Circle;
            Console.OUT.println("cast " + wrong);
        } catch (e:ClassCastException) {
            Console.OUT.println("not a circle");
        }

        val v = Vec(3.0, 4.0);
        val w = 2.0 * (v + Vec(1.0, 0.0)) + -v;
        Console.OUT.println(w.x + " " + w.y + " " + v.length() + " " + w(0n) + " " + (v == Vec(3.0, 4.0)));
        val implicit:Vec = 7.0;
        Console.OUT.println(implicit.x);

        val counter = new Counter();
        counter.next().next();
        counter() = counter() + 10n;
        Console.OUT.println(counter());

        Console.OUT.println(new Box[Int](20n).map[String]((x:Int)=>"twice " + 2n * x));
        Console.OUT.println(first(["a", "b"]) + LIMIT);
        val boxed:Any = 5n;
        Console.OUT.println(boxed + " " + (boxed instanceof Int) + " " + (boxed instanceof Long) + " " + boxed.equals(5n) + " " + boxed.typeName());
        val nothing:Shape = null;
        try {
            Console.OUT.println(nothing.area());
        } catch (e:NullPointerException) {
            Console.OUT.println("null");
        }
        Console.OUT.println("" + nothing + null);
        Console.OUT.println(Operation.TWICE.on(4) + new Operation.Twice().on(5));
    }
}
