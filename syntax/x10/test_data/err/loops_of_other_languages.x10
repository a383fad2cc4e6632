class C {
    def f(xs:Rail[Long]) {
        for (let x in xs) { g(x); }
        for (let mut x in xs) { g(x); }
        for (const x in all(xs)) g(x);
        for (final x : xs) { g(x); }
        for (final String x : xs) { g(x); }
        for (x of xs) { g(x); }
        for x of xs { g(x); }
        for x : all(xs) { g(1) { } }
        for x in xs { g(x); }
        for (let i = 0; i < 3; i++) { g(i); }
        for (auto i = 0; i < 3; i++) { g(i); }
        for (const int n = 3; n < 4; ) { g(n); }
        for (x:Long in xs) { g(x); }
        for (val x in xs) { g(x); }
        let y = 3;
    }
}
