class A {
    val f = x => x + 1;
}
