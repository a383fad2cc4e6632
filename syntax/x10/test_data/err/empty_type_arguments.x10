class A {
    val a = x as Foo();
    val b = f[](x);
    val c:List[];
}
