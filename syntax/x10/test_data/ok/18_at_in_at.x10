class A {
    def f() {
        val a = at (p) { at (q) f(1) };
        val b = at (p) { g(); at (q) { at (r) { f(1) } } };
        val c = at (p) { at (q) at (r) f(1) };
        val d = () => { at (p) { at (q) { f(1) } } };
        val e = () => { at (p) { at (q) { f(1); } } };
        val g = () => { at (p) at (q) f(1); };
        at (p) { at (q) { f(1); } }
        return at (p) { at (q) { at (r) 1 } };
    }
}
