class A {
    val a = x++ as T;
}
