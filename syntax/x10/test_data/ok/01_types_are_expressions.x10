// Types stand wherever an expression may: operands of <:, :>, ==, haszero, isref.
class A[T,U]{T haszero && T <: List[U] && U isref} {
    def f(){T == Rail[Int], A[T]{self.x == 1} <: B, void == U} = a.b.C[T](1) <: D;
    def g(Int, (T)=>U, x:this.V):self.W = 1;
}
