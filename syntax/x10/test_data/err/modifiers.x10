abstract abstract class A {
    final val x = 1;
    transient def f() { atomic x:T = 3; }
    operator (x:A) + (y:A) = x;
    static operator this(i:Int) = 1;
}
