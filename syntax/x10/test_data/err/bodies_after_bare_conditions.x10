class C {
    def f(x:Long, b:Long) {
        if has(x) { }
        if has(x) { go(1) { } }
        if has(x) { go(1) { Console.OUT.println("e"); } }
        while has[Long](x) { go(1) { } }
        if b == has(3) { go(1) { } }
        if x is None { }
        if b == new C() { go(1) { } }
        for y in all(x) { go(1) { } }
        if any(b, (y:Long) => { y > 1 }) { go(1) { } }
        if at (x) { is(T{self == 1}) } { go(1) { } }
    }
    def g() {}
}
