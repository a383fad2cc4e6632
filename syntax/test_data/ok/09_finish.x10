class A {
    def f() {
        finish (r) { offer x; }
        val x = finish (r) { offer y; };
        clocked finish async clocked (c, d) { }
        g(finish (r) { });
    }
}
