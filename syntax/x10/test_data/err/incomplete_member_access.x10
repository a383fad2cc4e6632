class A {
    def f() {
        val x = a.
        val y = 1;
        b.c.
    }
}
