import x10.io.File;
import x10.io.IOException;

/** What X10 accepts: methods of Any without `public`, values that nobody takes, a `val` of a `try` and its `catch`, the rail of a GlobalRail. */
public class accepted_forms {
    static class Named(n:Long) {
        var k:Long = 3;
        def toString():String = "Named" + n;
        private def hashCode():Int = n as Int;
        protected def equals(o:Any):Boolean = o instanceof Named && (o as Named).n == n;
        def unused(a:Any) {
            k; this.n; "text"; n + 1; n as Int; (n > 3) ? n : 4; -n; null; here; 'c'; 3.5; [1, 2, 3]; (x:Long) => x; k > 3 && k / (k - 3) > 2;
            if (n > 0) n; else true;
            for (i in 0..1) i;
            finish async n;
            a as Named;
        }
    }
    static struct Pair2(n:Long) {
        private def toString():String = "Pair" + n;
        def hashCode():Int = 7n;
    }
    static class Opened {
        val file:File;
        def this(name:String) { try { file = new File(name); } catch (IOException) { file = null; } }
    }
    static def parsed(s:String):Long {
        val n:Long;
        try { n = Long.parse(s); } catch (NumberFormatException) { n = -1; }
        return n;
    }
    static def awaited(s:String):Long {
        val n:Long;
        try { finish async n = Long.parse(s); } catch (MultipleExceptions) { n = -2; }
        return n;
    }
    static def first(g:GlobalRail[Long]{self.rail.home == here}) = g(0);
    static def second(g:GlobalRail[Long]){g.rail.home == here} = g.rail()(1);

    public static def main(Rail[String]) {
        val named = new Named(3);
        val any:Any = named;
        val pair:Any = Pair2(4);
        Console.OUT.println(named + " " + any.hashCode() + " " + named.hashCode() + " " + any.equals(new Named(3)) + any.equals(3));
        Console.OUT.println(pair + " " + pair.hashCode() + " " + Pair2(4).toString());
        named.unused(named);
        try { named.unused("text"); } catch (ClassCastException) { Console.OUT.println("no Named"); }
        Console.OUT.println(parsed("12") + " " + parsed("x") + " " + awaited("4") + " " + awaited("y") + " " + (new Opened("a").file != null));
        val g = GlobalRail[Long](new Rail[Long](3, (i:Long) => i + 5));
        Console.OUT.println((g.rail.home == here) + " " + first(g) + second(g) + " " + g.rail().size + " " + g.rail()()(1) + " " + (g.rail().home == here));
        finish for (p in Place.places()) at (p) {
            val rail:GlobalRef[Rail[Long]] = g.rail;
            at (g.rail) async atomic { g(1)++; rail()(2) = rail()(2) + 2; }
            if (rail.home != g.home() || g.rail().home != g.home()) Console.OUT.println("another home");
        }
        Console.OUT.println(g(1) - Place.numPlaces() + " " + (g(2) - 2 * Place.numPlaces()));
    }
}
