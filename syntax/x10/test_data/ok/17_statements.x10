class A {
    def f() {
        if (a) b(); else if (c) { } else d();
        switch (x) { case 1: case 'a': f(); break; default: g(); case 2: }
        try { } catch (e:E) { } catch (f:F) { } finally { }
        when (x > 1) y = 1;
        throw new E();
        assert x : "m";
        assert x;
        return;
        ;
        { }
        this(1).f();
        A.this.f();
        super.f();
        A.super.g();
        here.id;
        val x = null, y = true, z = self;
        async f();
        async clocked (c) { }
        while (x) y();
        return x instanceof T{y == 1};
    }
}
