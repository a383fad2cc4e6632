//! `cuda/generic-call`

use crate::diagnostics::{Rule, Severity};

/// A call in a kernel of a generic function for a type that a device does not have.
pub static RULE: Rule = Rule {
    code: "cuda/generic-call",
    severity: Severity::Error,
    summary: "A call in a kernel of a generic function for a type that a device does not have.",
    explanation: r##"
A generic function is compiled for each type that a kernel calls it for: numbers, `Boolean`, `Char`, and structs of these. If it
computes with operators of its type parameter, as with `T <: Arithmetic[T]`, only numbers will do.

Write the function for the type that is needed.
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
    mended: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def twice[T](x:T){T <: Arithmetic[T]}:T = x + x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice[Int](thread);
                }
            }
        }
    }
}
"##,
};
