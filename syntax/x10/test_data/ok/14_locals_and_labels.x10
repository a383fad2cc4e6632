class A {
    def f() {
        x:T = 1, y:U = 2;
        val z:T, w = 1;
        var v <: T = x;
        l: for (;;) break l;
        m: while (true) continue m;
        n: do { } while (x);
        for (i = 0, j = 1; i < n; ++i, j--) { }
        for (var i:Int = 0, j:Int = 1; ; ) { }
        for (i in r) { }
        for (i:T in r) { }
        for (val i in r) { }
        for (r) { }
        ateach (p in d) clocked (c) { }
        ateach (d) { }
    }
}
