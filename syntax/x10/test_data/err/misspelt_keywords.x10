improt x10.util.ArrayList;

pubic clas Typos extnds Base {
    statc vla count = 0;
    privat def first(x:Long):Long {
        vla y = x + 1;
        vra z:Long = y;
        if (y > 3) retrun y;
        esle if (y > 2) throw nwe Exception();
        fro (i in 0..3) finsh for (p in Place.places()) at (p) asnyc foo();
        for (var i:Long = 0; i < 3; i++) { clockd async { } }
        swich (y) { case 1: break; default: brake; }
        do { y++; } whlie (y < 3);
        try { foo(); } cacth (e:Exception) { } finaly { }
        return y instanceOf Long ? 1 : z;
    }
    deff this() { }
    opertor this + (that:Typos) = this;
    // Names, not keywords: methods may be called so.
    def names() { retrun(3); finsh { foo(); }; vals(4); whlie (true) { foo(); } }
}
