class A {
    def f() {
        x();
    }
    }
    def g() { }
}
