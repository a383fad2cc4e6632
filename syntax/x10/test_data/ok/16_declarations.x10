@A package a.b;
import c.D;
import e.*;
;
public abstract class A[T, U](@X p:T, q:U){p == q} extends B[T] implements C, D {
    static val x = 1, y:T = 2;
    var z:T;
    w:T = 1;
    @Native("c++", "x") public native def f(var a:T, b:Int, [i,j]:Point, p[k]:Point):void;
    public static type E[T](x:T){x == 1} = F[T]{self == x};
    struct G implements H { val i = 1; }
    interface J extends K, L { def m():void; val n = 1; }
    val o = new P[Q](1) { def r() = 1; };
    val s = t.new U();
}
