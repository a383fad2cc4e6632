//! `cuda/stack-size`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A rail on a thread's stack whose size is not known at compile time.
pub static RULE: Rule = Rule {
    code: "cuda/stack-size",
    severity: Severity::Error,
    summary: "A rail on a thread's stack whose size is not known at compile time.",
    explanation: r##"
`@StackAllocate` keeps a rail in the registers or local memory of each thread. Its size is part of the
compiled code.

Write a literal, or a `val` of literals.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.compiler.StackAllocate;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, count:Long) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    @StackAllocate val own = new Rail[Float](count);
                    own(0) = thread;
                    out(block * 64n + thread) = own(0);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.compiler.StackAllocate;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, count:Long) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    @StackAllocate val own = new Rail[Float](4);
                    own(0) = thread;
                    out(block * 64n + thread) = own(0);
                }
            }
        }
    }
}
"##,
};

/// A rail on the stack has no constant size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackSize;

impl Render for StackSize {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "the size of a rail on a thread's stack is not known when the program is compiled")
            .note("write a literal, or a `val` of literals: `@StackAllocate val r = new Rail[Float](16)`")
    }
}
