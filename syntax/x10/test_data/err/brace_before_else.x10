class C {
    def f(x:Long) {
        if (x > 1) {
            g(x);
        else {
            g(-x);
        }
        g(name");
    }
    def g(x:Long) {}
}
