class A {
    var val:Int;
    def type() { }
    val in = 1;
}
