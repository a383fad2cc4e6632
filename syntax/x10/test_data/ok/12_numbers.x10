class A {
    val a = [1..f, 1..5, 1.5.foo, 1.e5, .5f, 0xFFul, 0b11n, 017y, 1_000s, 'a', '\n', '\u0041', "s\"\101"];
    val `two words` = `val`;
}
