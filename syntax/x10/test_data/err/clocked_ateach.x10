class A {
    def f() {
        clocked ateach (z in d) { }
    }
}
