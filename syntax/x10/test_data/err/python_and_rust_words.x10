from x10.util import HashMap
from x10.util import ArrayList;

private class Words {
    public def operator+(that:Words) = this;
    def f(m:HashMap[String,Long]) {
        let total: Long = 0;
        let mut more: Long = 1;
        if m.containsKey("a") { more = 2; }
        while f(m) { more = 3; }
        if this(0) { more = 3; }
        match m.size() {
            1 => { more = 4; }
        }
        for (val e : m) { more = 5; }
        for (let e of m) { more = 5; }
        for (e of m) { more = 5; }
        return more;
    }
}
