class A {
    def f() {
        foo(x) { y }
        foo { y }
        a.foo[T](x) { z(); y }
        (e) { g(); }
        foo[T] { }
        val c = foo{y == 1} == T;
    }
}
