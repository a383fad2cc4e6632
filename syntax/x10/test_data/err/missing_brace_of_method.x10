class A {
    def f() {
        if (x) {
            y();
    }
    def g() { }
}
