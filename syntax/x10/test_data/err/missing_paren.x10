class A {
    def f() {
        g(x, y;
        if (x { y(); }
        h(a b);
    }
}
