class A {
    def f(args:String[], m:HashMap[String,Long[][]]) {
        m["a"] = 4;
        a[-1]++;
        if (a[i] == 3) { }
        a[b[i]] = a[f(i)] + a[p.x];
        foreach (p in 1..3) { g(); }
        forall i in 1..n { g(); }
        val x = new ArrayList[]();
        y[k].run();
        val t = z.f[int](3);
    }
    def h(x) = x + 1;
}
