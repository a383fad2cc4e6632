class A {
    val x = 1;
    if (x) { y(); }
    for (i in r) z();
    def f() { }
}
