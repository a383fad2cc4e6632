class A {
    def f() {
        super(1);
        super;
        val x = super + 1;
    }
}
