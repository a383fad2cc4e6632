package a.
import b.
class A[T
    def f(x:
