class A {
    val a = x>-1;
    val b = x<-1 -< y -> z >- w <> v >< u;
    val c = x ! y;
    val d = x ~ y !~ z ** w;
    def f() { x ->= 1; x <-= 1; x -<= 1; x >-= 1; x <>= 1; x ><= 1; x ..= 1; x **= 1; x ~= 1; x >>>= 1; }
}
