class A {
    val a = () => { val x = 1; x };
    val b = at (p) { f(); g() };
    val c = () => @X { 1 };
    def f() { p.async { g() } }
}
