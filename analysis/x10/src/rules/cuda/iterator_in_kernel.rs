//! `cuda/iterator-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A loop in a kernel over something that is neither a range nor a rail.
pub static RULE: Rule = Rule {
    code: "cuda/iterator-in-kernel",
    severity: Severity::Error,
    summary: "A loop in a kernel over something that is neither a range nor a rail.",
    explanation: r##"
Such a loop asks an iterator for each element. An iterator is an object, and a device has no heap.

Iterate over a range, as in `for (i in 0..(n - 1))`, or over a rail.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.ArrayList;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, list:ArrayList[Float]) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    var sum:Float = 0.0f;
                    for (value in list) sum += value;
                    out(block * 64n + thread) = sum;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, values:Rail[Float]) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    var sum:Float = 0.0f;
                    for (i in 0..(values.size - 1)) sum += values(i);
                    out(block * 64n + thread) = sum;
                }
            }
        }
    }
}
"##,
};

/// A thread iterates over an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IteratorInKernel {
    /// The type of the object.
    pub ty: Ty,
}

impl Render for IteratorInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("a thread cannot iterate over a value of type `{}`", cx.show_base(self.ty)))
            .note("that needs an iterator, which is an object: iterate over a range, as in `for (i in 0..(n - 1))`, or over a rail")
    }
}
