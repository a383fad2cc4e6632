class A {
    def f() {
        at (p) f();
        at (p) { f() };
        at (p) { f(); };
        val x = at (p) y.z;
        finish async at (p) @CUDA @CUDADirectParams { f(); }
        return at (p) { 1 };
        @X at (p) g();
    }
}
