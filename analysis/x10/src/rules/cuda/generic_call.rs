//! `cuda/generic-call`

use crate::diagnostics::{Rule, Severity};

/// A call of code for a type that it cannot have on a device.
pub static RULE: Rule = Rule {
    code: "cuda/generic-call",
    severity: Severity::Error,
    summary: "A call of code with type parameters, which kernels run, for a type that a device does not have.",
    explanation: r##"
A `@CUDA` function with type parameters, and a kernel in a method or class that has some, is compiled for each type that it is called
for: numbers, `Boolean`, `Char`, and structs of these. What it calls that an interface promises of a type parameter, operators among it
(`T <: Arithmetic[T]`, `O <: Reducible[T]`), is a method of that type, and must be marked `@CUDA` as any other function that a kernel
calls. Such a method waits for no other threads, and does not ask which thread it runs in.

An object with type parameters may be asked by whoever has it for what its class overrides, or implements of an interface: the kernels in that are
compiled for the types that it is made for.

Mark the method `@CUDA`, or call the code for another type.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static struct Pair(a:Int, b:Int) implements Arithmetic[Pair] {
        public operator + this:Pair = this;
        public operator - this:Pair = Pair(-a, -b);
        public operator this + (that:Pair):Pair = Pair(a + that.a, b + that.b);
        public operator this - (that:Pair):Pair = Pair(a - that.a, b - that.b);
        public operator this * (that:Pair):Pair = Pair(a * that.a, b * that.b);
        public operator this / (that:Pair):Pair = Pair(a / that.a, b / that.b);
    }
    @CUDA static def twice[T](x:T){T <: Arithmetic[T]}:T = x + x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice[Pair](Pair(thread, block)).a;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static struct Pair(a:Int, b:Int) implements Arithmetic[Pair] {
        @CUDA public operator + this:Pair = this;
        @CUDA public operator - this:Pair = Pair(-a, -b);
        @CUDA public operator this + (that:Pair):Pair = Pair(a + that.a, b + that.b);
        @CUDA public operator this - (that:Pair):Pair = Pair(a - that.a, b - that.b);
        @CUDA public operator this * (that:Pair):Pair = Pair(a * that.a, b * that.b);
        @CUDA public operator this / (that:Pair):Pair = Pair(a / that.a, b / that.b);
    }
    @CUDA static def twice[T](x:T){T <: Arithmetic[T]}:T = x + x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice[Pair](Pair(thread, block)).a;
                }
            }
        }
    }
}
"##,
};
