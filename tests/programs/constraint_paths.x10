/** Conditions on types and methods that name static fields, objects around and variables around are checked when the program runs. */
public class constraint_paths {
  static def p(s:String) { Console.OUT.println(s); }
  static val N = Long.parse("5");
  static val M:Long = 7;
  static class X(i:Long) {
    def m(a:Long{self==this.i}) {}
    def g(a:Long){a == this.i} {}
    def ret(a:Long):Long{self==this.i} = a;
    var f:Long{self==this.i} = this.i;
    def setf(a:Long) { f = a; }
    operator this + (a:Long{self==this.i}):Long = a;
    operator this(a:Long{self!=this.i}):Long = a;
    operator this(a:Long)=(v:Long{self==a}) {}
    def two(a:Long, b:Long{self==a}) {}
    static def st(a:Long, b:Long){a!=b} {}
    def n(a:Long{self==N}) {}
    def gn(a:Long){a==M} {}
    class In(j:Long) { def m(a:Long{self==X.this.i}) {} def g(a:Long){a==X.this.i} {} def c(a:Long) { val z = a as Long{self==X.this.i}; } def inst(a:Any) = a instanceof Long{self==X.this.i}; 
       class Deep { def m(a:Long{self==X.this.i}, b:Long{self==In.this.j}) {} } 
       def viaThis(a:Long) { m(a); g(a); } }
  }
  static class Inv(a:Long, b:Long){a == b} { def this(a:Long, b:Long){a==b} { property(a, b); } }
  static class Inv2(a:Long){a == N} { def this(a:Long){a==N} { property(a); } }
  static class H(n:Long) {
    class J(k:Long) { def this(k:Long){k==H.this.n} { property(k); } }
    def make(other:H, k:Long) = other.new J(k);
    def own(k:Long) = new J(k);
    def locally(k:Long) { val z = n; class L { def m(a:Long) { val q = a as Long{self==z}; } } new L().m(k); }
    def later(k:Long) { val z = n; val f = () => { val q = k as Long{self==z}; }; f(); finish async { val q = k as Long{self==z}; } }
    def elsewhere(k:Long) { val z = n; at (Place(Place.numPlaces() - 1)) { val q = k as Long{self==z}; } }
    def ofThis(k:Long) { val f = () => { val q = k as Long{self==this.n}; }; f(); }
  }
  static class G(a:Long) { def this(a:Long, b:Long){a==b} { property(a); } }
  static class Sub extends X { def this(i:Long) { super(i); } def m(a:Long{self==this.i}) { } }
  static def mk():X = new X(Long.parse("3"));
  static def fails(s:String, f:()=>void) {
    try { f(); p("NOT CHECKED " + s); } catch (e:FailedDynamicCheckException) { } catch (e:ClassCastException) { p("CCE " + s); }
  }
  static def ok(s:String, f:()=>void) {
    try { f(); } catch (e:CheckedThrowable) { p("FAILED " + s + " " + e); }
  }
  static type Five = Long{self==N};
  static def tf(x:Five) {}
  static def clo(f:(x:Long){x!=0}=>Long, z:Long) = f(z);
  static def id[T](x:T) = x;
  public static def main(args:Rail[String]) {
    val z = args.size; // 0
    val three = 3 + z; val four = 4 + z; val five = 5 + z; val seven = 7 + z;
    val x = mk(); var v:X = mk();
    ok("m", () => { x.m(three); }); fails("m", () => { x.m(four); });
    ok("mk.m", () => { mk().m(three); }); fails("mk.m", () => { mk().m(four); });
    ok("mk.g", () => { mk().g(three); }); fails("mk.g", () => { mk().g(four); });
    ok("var.m", () => { var w:X = mk(); w.m(three); }); fails("var.m", () => { var w:X = mk(); w.m(four); });
    ok("var.g", () => { var w:X = mk(); w.g(three); }); fails("var.g", () => { var w:X = mk(); w.g(four); });
    ok("ret", () => { x.ret(three); }); fails("ret", () => { x.ret(four); });
    ok("f", () => { val y = new X(0); y.f = z; y.setf(z); }); fails("setf", () => { val y = new X(0); y.setf(four); }); fails("f=", () => { val y = new X(0); y.f = four; });
    ok("+", () => { x + three; }); fails("+", () => { x + four; }); fails("mk+", () => { mk() + four; });
    ok("()", () => { x(four); }); fails("()", () => { x(three); }); fails("mk()", () => { mk()(three); });
    ok("()=", () => { x(four) = four; }); fails("()=", () => { x(four) = three; }); fails("mk()=", () => { mk()(four+z) = three; });
    ok("two", () => { x.two(four, four); }); fails("two", () => { x.two(four, three); }); fails("two expr", () => { x.two(four + 1, three); }); ok("two expr", () => { x.two(four + 1, five); });
    ok("two var", () => { var q:Long = 4; x.two(q, four); }); fails("two var", () => { var q:Long = 4; x.two(q, three); });
    ok("st", () => { X.st(three, four); }); fails("st", () => { X.st(three, three); }); fails("st e", () => { X.st(three + 1, three + 1); });
    ok("n", () => { x.n(five); }); fails("n", () => { x.n(four); });
    ok("gn", () => { x.gn(seven); }); fails("gn", () => { x.gn(four); });
    val y = x.new In(9 + z);
    ok("in.m", () => { y.m(three); }); fails("in.m", () => { y.m(four); });
    ok("in.g", () => { y.g(three); }); fails("in.g", () => { y.g(four); });
    ok("in.c", () => { y.c(three); }); fails("in.c", () => { y.c(four); });
    if (!y.inst(three)) p("inst 3"); if (y.inst(four)) p("inst 4");
    fails("mk.in.m", () => { (mk().new In(1)).m(four); });
    val d = y.new Deep();
    ok("deep", () => { d.m(three, 9 + z); }); fails("deep1", () => { d.m(four, 9 + z); }); fails("deep2", () => { d.m(three, four); });
    ok("viaThis", () => { y.viaThis(three); }); fails("viaThis", () => { y.viaThis(four); });
    ok("inv", () => { new Inv(three, three); }); fails("inv", () => { new Inv(three, four); });
    ok("inv2", () => { new Inv2(five); }); fails("inv2", () => { new Inv2(four); });
    ok("G", () => { new G(three, three); }); fails("G", () => { new G(three, four); });
    val s:X = new Sub(3); fails("sub", () => { s.m(four); }); ok("sub", () => { s.m(three); });
    ok("tf", () => { tf(five); }); fails("tf", () => { tf(four); });
    ok("cast N", () => { val q = five as Five; }); fails("cast N", () => { val q = four as Five; }); fails("decl", () => { val q:Five = four; });
    ok("clo", () => { clo((q:Long){q!=0}=>q, four); });
    fails("generic", () => { id[Long{self==3}](four); }); fails("rail", () => { val r = new Rail[Long{self!=4}](1, 3); r(0) = four; });
    fails("ret cast", () => { val q = (() => four as Long{self==3})(); });
    val a3 = four as Any; fails("any", () => { val q = a3 as Long{self==3}; }); 
    if (a3 instanceof Long{self==N}) p("inst N");
    fails("str", () => { val q = args.toString() as String{self=="abc"}; }); fails("null", () => { val q:String = null; val r = (q as Any) as String{self!=null}; });
    fails("X{i==4}", () => { val q = x as X{self.i==4}; }); fails("X{i==N}", () => { val q = x as X{self.i==N}; });
    val h = new H(z + 1); val h2 = new H(z + 2);
    ok("own", () => { h.own(z + 1); }); fails("own", () => { h.own(z + 2); });
    ok("make", () => { h.make(h2, z + 2); }); fails("make", () => { h.make(h2, z + 1); });
    ok("new", () => { h2.new J(z + 2); }); fails("new", () => { h2.new J(z + 1); });
    ok("locally", () => { h.locally(z + 1); }); fails("locally", () => { h.locally(z + 2); });
    ok("later", () => { h.later(z + 1); }); fails("later", () => { h.later(z + 2); });
    ok("elsewhere", () => { h.elsewhere(z + 1); }); fails("elsewhere", () => { h.elsewhere(z + 2); });
    ok("ofThis", () => { h.ofThis(z + 1); }); fails("ofThis", () => { h.ofThis(z + 2); });
    p("done");
  }
}
