abstract class A extends B{self != null} implements C{x == 1}, D {
    def f():T {}
    def g():T{self != null} {}
    def h():T{self != null};
    def i(x:T){x != null}:U{self == x} = x;
    def j(){true} throws E, F{a == b} : T { return x; }
    static operator (x:T) as U{self == 1} { return x; }
    def k():T { f(); }
    def l():T @X { }
}
