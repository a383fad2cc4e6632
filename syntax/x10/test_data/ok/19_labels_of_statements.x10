class C {
    def m() {
        block: { break block; }
        a: b: c: while (true) break b;
        x: if (y) break x; else z();
        s: switch (1) { case 1: break s; }
        t: try { break t; } finally { }
        f: finish { g: atomic { h: when (true) break f; } }
        n:Long = 1;
    }
}
