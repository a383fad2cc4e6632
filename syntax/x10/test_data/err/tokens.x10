class A {
    val a = 09 + 0x + 'ab' + "abc;
    val b = # 1;
    val c = "\q";
}
