//! `cuda/shared-value`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `val` before the threads of a block that is not shared memory.
pub static RULE: Rule = Rule {
    code: "cuda/shared-value",
    severity: Severity::Error,
    summary: "A `val` before the threads of a block that is not shared memory.",
    explanation: r##"
What a block defines before its threads is memory that they share, as `new Rail[T](...)`. Another value
would have to be computed once a block, by somebody who is not a thread.

Compute it in each thread; it costs a register. If it does not depend on the block, compute it before the
`at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val start = block * 64n;
                clocked finish for (thread in 0n..63n) clocked async {
                    out(start + thread) = thread;
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
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val start = block * 64n;
                    out(start + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A value of a block that is not shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedValue {
    /// The variable.
    pub local: LocalId,
    /// Whether it is constant memory.
    pub is_constant_rail: bool,
}

impl Render for SharedValue {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.local);
        RULE.at(range, format!("`{name}` is not shared memory, so it may not be defined for a whole block")).note(
            match self.is_constant_rail {
                true => "constant memory belongs to all blocks: define it before the loop over them, at the start of the `at`",
                false => "only `new Rail[T](...)` may be shared by the threads of a block: compute the value in each thread, or before the `at`",
            },
        )
    }
}
