class A {
    def f()
        val x = 1;
        g(x);
    }
    def h() { }
}
