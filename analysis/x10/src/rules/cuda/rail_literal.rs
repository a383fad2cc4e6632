//! `cuda/rail-literal`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A rail written out in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/rail-literal",
    severity: Severity::Error,
    summary: "A rail written out in the code of a kernel.",
    explanation: r##"
`[a, b]` allocates a rail, and a device has no heap.

Make the rail before the `at`: it is copied to the device. For a small rail that each thread fills itself,
write `@StackAllocate val r = new Rail[T](16)`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val table = [1.0f, 2.0f];
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val table = [1.0f, 2.0f];
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = table(thread % 2n);
                }
            }
        }
    }
}
"##,
};

/// A thread allocates a rail by a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RailLiteral;

impl Render for RailLiteral {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot allocate a rail")
            .note("a device has no heap: make the rail before the `at`, or use `@StackAllocate val r = new Rail[T](16)` of fixed size")
    }
}
