/** Casts of objects whose class is known when the program is optimised: to that class, and to others, behind `instanceof` or not. */
import x10.util.ArrayList;

public class exact_casts {
    static abstract class Figure {
        abstract def area():Double;
    }

    static class Circle extends Figure {
        def area() = 3.0;
        def radius(k:Long) = 1 + k;
    }

    static class Square extends Figure {
        var a:Long = 1;
        var b:Long = 2;
        def area() = 4.0;
        def side(k:Double):String = "side " + k;
        final def sum() = a + b;
    }

    static class Apart {
        def other(x:Double):String = "other " + x;
    }

    static def make():Figure = new Circle();
    static def add():Any = (x:Long) => x + 1;
    static def call(f:(Double)=>String, x:Double) = f(x);

    static def described[T](x:T):String {
        val any:Any = x;
        if (any instanceof Circle) return "circle " + (any as Circle).radius(1);
        if (any instanceof Long) return "long";
        return "?";
    }

    static def shown(o:Any):String {
        if (o instanceof Apart) return (o as Apart).other(2.5);
        if (o instanceof (Long)=>Long) return "function " + (o as (Long)=>Long)(4);
        if (o instanceof Circle) return "circle " + (o as Circle).radius(0);
        if (o instanceof Long) return "long " + (o as Long + 1);
        return "?";
    }

    static def objects() {
        val s = make();
        if (s instanceof Circle) Console.OUT.println((s as Circle).radius(2));
        if (s instanceof Square) Console.OUT.println((s as Square).side(2.0));
        val o:Any = new Circle();
        Console.OUT.println(o instanceof Apart ? (o as Apart).other(1.0) : "not apart");
        Console.OUT.println(described(5) + " " + described(new Circle()));
        Console.OUT.println(shown(new Circle()) + " " + shown(new Apart()) + " " + shown(5) + " " + shown("s"));
    }

    static def functions() {
        val f = (x:Long) => x * 2;
        val o:Any = f;
        if (o instanceof (Double)=>Double) Console.OUT.println((o as (Double)=>Double)(1.5));
        else Console.OUT.println("no function of Double");
        val q = add();
        if (q instanceof (Double)=>String) Console.OUT.println(call(q as (Double)=>String, 2.0));
        else Console.OUT.println("no function to String");
        Console.OUT.println(shown(f) + " " + shown((x:Double) => x));
    }

    static def generic() {
        val list:Any = new ArrayList[Long]();
        if (list instanceof ArrayList[String]) (list as ArrayList[String]).add("x");
        else (list as ArrayList[Long]).add(4);
        Console.OUT.println(list);
    }

    static def attempt(what:String, f:() => void) {
        try {
            f();
            Console.OUT.println(what + ": nothing");
        } catch (e:ClassCastException) {
            Console.OUT.println(what + ": refused");
        }
    }

    static def refused() {
        attempt("object", () => {
            val s = make() as Square;
            Console.OUT.println(s.sum());
        });
        attempt("new object", () => {
            val s = new Circle() as Figure as Square;
            s.a = 4;
            Console.OUT.println(s.sum() + s.b);
        });
        attempt("its own class", () => {
            val s = make() as Circle;
            Console.OUT.println(s.radius(4));
        });
        attempt("function", () => {
            Console.OUT.println((add() as (Double)=>String)(1.5));
        });
    }

    public static def main(args:Rail[String]) {
        objects();
        functions();
        generic();
        refused();
    }
}
