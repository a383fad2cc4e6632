/** Control structures that classes define, formals that are destructured, conditions on types, definitions of types in code. */
import x10.util.HashMap;

public class user_control {
    static class Par {
        static operator for(r:Iterable[Long], body:(Long)=>void) { finish for (i in r) async body(i); }
        static operator if(b:Boolean, then:()=>void, else_:()=>void) { if (b) else_(); else then(); }
        static operator try(body:()=>void, handler:(Exception)=>void) { try { body(); } catch (e:Exception) { handler(e); } }
        static operator do(body:()=>void, more:()=>Boolean) { do { body(); } while (more()); }
        operator throw(x:Long) { Console.OUT.println("throw " + x); }
        operator async[T](x:T, body:()=>void) { Console.OUT.print(x + " "); body(); }
    }
    static class Sub extends Par {
        operator throw(x:Long) { Console.OUT.print("sub "); super.throw x; }
    }

    static def digits([i,j]:Point):Long = i * 10 + j;
    static class Sum {
        val all:Long;
        def this(p[i,j]:Point) { all = p(0) + i + j; }
    }

    static def isLong[T]() = T <: Long;
    static def zero[T]() = T haszero;
    static def reference[T](){T isref}:Boolean = T isref;

    static def types():void {
        type Number = Long;
        type Table[K] = HashMap[K,Number];
        type Just(n:Long) = Long{self==n};
        val table = new Table[String]();
        table("a") = 3;
        val three:Just(3) = 3;
        Console.OUT.println(table("a") + three);
        Console.OUT.println(isLong[Long]() + " " + isLong[String]() + " " + zero[String]() + " " + (Int{self!=0n} haszero));
        Console.OUT.println(reference[String]());
    }

    public static def main(args:Rail[String]) {
        Console.OUT.println(digits(Point.make(3, 4)) + " " + new Sum(Point.make(3, 4)).all);
        val f = ([i,j]:Point) => i - j;
        val g = (p[i,j]:Point) => { val r = i - j + p(0); return r; };
        Console.OUT.println(f(Point.make(9, 4)) + " " + g(Point.make(9, 4)));

        val c = new Cell[Long](0);
        Par.for (i:Long in 1..10) { atomic c() = c() + i; }
        Console.OUT.println(c());
        Par.if (true) { Console.OUT.println("then"); } else { Console.OUT.println("else"); }
        Par.try { throw new Exception("x"); } catch (e:Exception) { Console.OUT.println("caught " + e.getMessage()); }
        Par.do { c() = c() - 10; } while (() => c() > 0);
        Console.OUT.println(c());
        val p:Par = new Sub();
        p.throw 3;
        p.async[String]("hi") { Console.OUT.println("body"); }
        types();
    }
}
