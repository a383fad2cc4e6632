class A {
    public operator this + (x:T) = 1;
    operator (x:T) + this:U { return x; }
    static operator (x:T) ** (y:T) = 1;
    operator -this = 1;
    static operator !(x:T) = 1;
    operator this(i:T, j:T):U = 1;
    operator this[V](i:T) = (v:U) { }
    static operator (x:T) as U = 1;
    static operator (x:T) as ? : U = 1;
    static operator [V](x:V):A = null;
    operator async(c:()=>void) { }
    def f() {
        a.operator+(b);
        operator+(a, b);
        T.operator as [U](x);
        T.operator [U](x);
        x.operator async(c);
        a.operator()(i);
        a.operator()=(i, v);
        super.operator-(x);
        p.async { f(); }
        p.if (c) { x } else { y }
        x.p.for (i:T, j:U in r, s) { }
        p.try { } catch (e:E) { } finally { }
        p.do { x } while (y);
        p.throw x;
        p.break;
        p.finish(a) { }
        p.ateach (i:T in r) { }
    }
}
