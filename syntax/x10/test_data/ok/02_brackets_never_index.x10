class A {
    def f() {
        a(i) = v;
        a(i) += f()(i);
        a.m[Int](2);
        val r = [1, 2 as Int];
        val [i,j] = p;
        val q[k,l] = p;
        p[i,j]:Point = q;
        [i,j]:Point = q;
        for ([i,j] in r) x();
        for (p[i,j]:T in r) x();
    }
}
