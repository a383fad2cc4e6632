class A {
    def f() {
        val f = () => { finish (r) { offer x; } };
        val x = finish (r) { offer y; };
        clocked finish async clocked (c, d) { }
        g(finish (r) { });
    }
}
