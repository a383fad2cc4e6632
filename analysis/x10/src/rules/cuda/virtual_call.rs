//! `cuda/virtual-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A call in a kernel of a method of an object.
pub static RULE: Rule = Rule {
    code: "cuda/virtual-call",
    severity: Severity::Error,
    summary: "A call in a kernel of a method of an object.",
    explanation: r##"
Which code such a call runs depends on the class of the object, and the object lives on the host.

Call a `@CUDA static def` and pass it what it needs.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA def twice(x:Int):Int = 2n * x;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def twice(x:Int):Int = 2n * x;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice(thread);
                }
            }
        }
    }
}
"##,
};

/// A thread calls a method of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VirtualCall {
    /// Of an array of the class library.
    Array(MethodId),
    /// Of a point.
    Point(MethodId),
    /// Of another object.
    Other(MethodId),
}

impl Render for VirtualCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (method, note) = match *self {
            VirtualCall::Array(method) => (
                method,
                "the array lives on the host: take its elements before the `at`, `val elements = array.raw()`, and compute the index, `row * columns + column`",
            ),
            VirtualCall::Point(method) => (
                method,
                "a point is an object of the host: name its parts where the loop declares it, `for ([i, j] in ...)`, and use those",
            ),
            VirtualCall::Other(method) => (
                method,
                "which code it is depends on the object's class, and the object lives on the host: call a `@CUDA static def` and pass what it needs",
            ),
        };
        RULE.at(range, format!("a thread cannot call `{}`, a method of an object", cx.method_name(method)))
            .note(note)
    }
}
