class A {
    val a = 0..n-1;
    val b = 2*0..n;
    val c = -1..n;
    val d = a || b && c | d ^ e & f == g < h instanceof T;
    val e = a ? b : c ? d : e;
    val f = !x++ + --y ** ~z;
    val g = a - b - c << d + e;
    def f() { a = b = c += d; }
}
