class A {
    def f() {
        val x = 1
        x = 2
        return x
    }
}
