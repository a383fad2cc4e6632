class A {
    def f() {
        a[i] = 1;
        val x = a[i];
        f()[i];
    }
}
