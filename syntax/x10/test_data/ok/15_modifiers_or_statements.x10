class A {
    property p():T = x;
    property def q() = 1;
    public property r(){x == 1}:T = 2;
    def this(x:T) throws E { super(x); property(x, 1); }
    def this() = this(1);
    def f() throws E : T {
        atomic x = 3;
        clocked x:T = 3;
        clocked val y = 3;
        clocked async f();
        @A f();
        @A { }
        @A(1) val z = 1;
        class B { }
        struct C { }
        type D = E;
        async @A { }
    }
}
