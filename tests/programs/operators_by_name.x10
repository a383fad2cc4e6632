/** Operators and conversions called by their names, of objects, of classes, of super and of what is around. */
public class operators_by_name {
    static struct V(x:Long) {
        operator this + (that:V) = V(x + that.x);
        operator this + (n:Long) = V(x + n);
        operator (n:Long) + this = V(1000 + n + x);
        static operator (a:V) * (b:V) = V(a.x * b.x);
        operator this - (n:Long) = V(x - n);
        operator (n:Long) - this = V(n - x);
        operator - this = V(-x);
        operator ! this = x == 0;
        operator ~ this = V(~x);
        static operator + (v:V) = V(v.x * 2);
        operator this ()  = x;
        operator this (n:Long) = x * n;
        operator this (n:Long) = (v:Long):Long { Console.OUT.println("set " + n + " " + v); return v; }
        operator this << (n:Long) = V(x << (n as Int));
        operator this -> (n:Long) = n;
        operator this <- (n:Long) = n + 1;
        operator this >- (n:Long) = n + 2;
        operator this -< (n:Long) = n + 3;
        operator this <> (n:Long) = n + 4;
        operator this >< (n:Long) = n + 5;
        operator this ** (n:Long) = n + 6;
        operator this .. (n:Long) = x..n;
        operator this >= (v:V) = true;
        operator this >>> (n:Long) = n;
        operator this && (v:V) = v;
        operator this || (v:V) = v;
        operator this ~ (v:V) = 4;
        operator this !~ (v:V) = 5;
        operator this ! (v:V) = 6;
        static operator (n:Long) as V = V(n + 100);
        static operator (n:Int):V = V(n + 200);
        static operator (v:V) as ? :Long = v.x;
        static operator (v:V) as String = "V" + v.x;
        public def toString() = "V(" + x + ")";
    }
    static class K {
        def use(f:()=>void) { f(); }
        operator async (f:()=>void) { Console.OUT.print("async "); f(); }
        static operator finish (f:()=>void) { Console.OUT.print("finish "); f(); }
        operator for (n:Long, f:(Long)=>void) { for (i in 1..n) f(i); }
        operator if (c:Boolean, f:()=>void, g:()=>void) { if (c) f(); else g(); }
        operator while (c:()=>Boolean, f:()=>void) { while (c()) f(); }
        operator try (f:()=>void, g:(Exception)=>void) { f(); g(null); }
        operator throw (e:Long) { Console.OUT.println("throw " + e); }
        operator atomic (f:()=>void) { f(); }
        operator when (c:Boolean, f:()=>void) { f(); }
        operator at (n:Long, f:()=>void) { f(); }
        operator continue () { Console.OUT.println("cont"); }
        operator break (n:Long) { Console.OUT.println("break"); }
        operator ateach (n:Long, f:(Long)=>void) { f(n); }
        operator do (f:()=>void, c:()=>Boolean) { f(); }
        operator this + (n:Long) = "K" + n;
        operator - this = "-K";
        operator this () = "K()";
        operator this (n:Long) = "K(" + n + ")";
        operator this (n:Long) = (v:Long) = "K(" + n + ")=" + v;
    }
    static class L extends K { operator this + (n:Long) = "L" + super.operator+(n) + super.operator() () + super.operator()(4) + super.operator()=(5,6) + super.operator-(); 
      operator this () = "L()"; def t() { operator async(() => { Console.OUT.println("in L"); }); operator finish(() => { Console.OUT.println("fin L"); }); return operator+(3) + operator()(3) + operator()=(3, 4) + operator-() + this.operator()(); } 
      class M { def u() = L.super.operator+(9) + L.this.operator+(8); } }
    public static def main(Rail[String]) {
        val x = 7; val v = V(3); val w = V(4); val k = new K();
        Console.OUT.println(Int.operator_as(x) + " " + Double.implicit_operator_as(x) + " " + Long.implicit_operator_as(3n) + " " + Byte.operator_as(300n) + " " + Double.operator[Double](3.0f) + " " + Char.operator_as(65n));
        Console.OUT.println(V.operator_as(5) + " " + V.implicit_operator_as(5n) + " " + V.operator as[V](5) + " " + V.operator[V](6n) + " " + V.operator as[String](v) + " " + V.operator as[Long](v));
        Console.OUT.println(v.operator+(w) + " " + v.operator+(2) + " " + V.operator*(v, w) + " " + v.operator-(1) + " " + v.operator-() + " " + v.operator!() + " " + v.operator~() + " " + V.operator+(v) + v.operator()() + v.operator()(9) + v.operator()=(1, 2));
        Console.OUT.println(v.operator<<(2) + " " + v.operator->(1) + v.operator<-(1) + v.operator>-(1) + v.operator-<(1) + v.operator<>(1) + v.operator><(1) + v.operator**(1) + v.operator..(9) + v.operator>=(w) + v.operator>>>(3) + v.operator&&(w) + v.operator||(w) + v.operator~(w) + v.operator!~(w) + v.operator!(w));
        Console.OUT.println(v.`operator+`(w) + " " + 3.operator+(4) + " " + "a".operator<("b") + 3.operator-() + " " + 3.operator<(4) + " " + true.operator&(false) + " " + String.operator+("a", "b") + String.operator+("a", 3) + String.operator+(3, "b") + "x".operator<("y") + Long.operator..(3, 5) + (1..3).operator*(2..4));
        k.operator async(() => { Console.OUT.println("ran"); });
        K.operator finish(() => { Console.OUT.println("ran"); });
        k.operator for(2, (i:Long) => { Console.OUT.println(i); });
        k.operator if(true, () => { Console.OUT.println("then"); }, () => { Console.OUT.println("else"); });
        val c = new Cell[Long](0);
        k.operator while(() => c() < 2, () => { c()++; });
        k.operator try(() => {}, (e:Exception) => { Console.OUT.println("try"); });
        k.operator throw(4);
        k.operator atomic(() => {});
        k.operator when(true, () => {});
        k.operator at(3, () => {});
        k.operator continue();
        k.operator break(3);
        k.operator ateach(4, (i:Long) => {});
        k.operator do(() => {}, () => true);
        val cc:Cell[Long] = 3;
        val cd:Cell[String] = "x";
        Console.OUT.println(cc() + cd() + Cell.implicit_operator_as(4)());
        val l = new L();
        Console.OUT.println(l.t() + (l + 4) + l.new M().u());
        val r = new Rail[Long](3); r.operator()=(1, 5);
        Console.OUT.println(r.operator()(1) + " " + r.operator()=(2, 8));
    }
}
