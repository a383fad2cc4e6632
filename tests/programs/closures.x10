/** Closures: captures, closures as results, function types, rails as functions. */
public class closures {
    val factor:Long;
    def this(factor:Long) { this.factor = factor; }
    def scale():(Long)=>Long = (x:Long)=>x * factor;

    static def compose(f:(Long)=>Long, g:(Long)=>Long):(Long)=>Long = (x:Long)=>f(g(x));
    static def twice(f:()=>void) { f(); f(); }
    static def apply[T,U](x:T, f:(T)=>U):U = f(x);
    static def fold(rail:Rail[Long], start:Long, f:(Long, Long)=>Long):Long {
        var result:Long = start;
        for (x in rail) result = f(result, x);
        return result;
    }

    public static def main(args:Rail[String]) {
        val triple = new closures(3).scale();
        val inc = (x:Long)=>x + 1;
        Console.OUT.println(compose(triple, inc)(5) + " " + compose(inc, triple)(5));
        val cell = new Cell[Long](0);
        twice(()=> { cell() = cell() + 1; });
        Console.OUT.println(cell());
        Console.OUT.println(fold([1, 2, 3, 4], 0, (a:Long, b:Long)=>a + b));
        Console.OUT.println(apply(21, (x:Long)=>x * 2 + "!"));
        val squares = new Rail[Long](5, (i:Long)=>i * i);
        Console.OUT.println(compose(squares, inc)(2));
        val adders = new Rail[(Long)=>Long](3, (i:Long)=>(x:Long)=>x + i);
        Console.OUT.println(adders(0)(10) + " " + adders(2)(10));
        val recursive = new Cell[(Long)=>Long]((x:Long)=>x);
        recursive() = (n:Long)=>n <= 1 ? 1 : n * recursive()(n - 1);
        Console.OUT.println(recursive()(10));
        val early = (x:Long)=> { if (x > 0) return "positive"; return "not positive"; };
        Console.OUT.println(early(1) + ", " + early(-1));
    }
}
