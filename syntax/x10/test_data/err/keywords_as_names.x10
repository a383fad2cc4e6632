class A {
    var val:Int;
    def type() { }
    val in = 1;
}

class B {
    var at:Long = 0;
    def f(in:Rail[Long]) {
        while (at < in.size) { n += in(at); at++; }
        if (type.equals("x")) at = when;
        this.at = n;
        async at += 1;
        in(3) = this.type.size;
        return when;
    }
}
