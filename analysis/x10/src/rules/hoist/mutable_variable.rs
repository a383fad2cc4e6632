//! `hoist/mutable-variable`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `var` used while a kernel is set up.
pub static RULE: Rule = Rule {
    code: "hoist/mutable-variable",
    severity: Severity::Error,
    summary: "A `var` used while a kernel is set up.",
    explanation: r##"
The number of blocks and threads and the size of shared memory are computed when the kernel is launched. A
`var` may have changed by then, if another activity runs on.

Copy it into a `val` before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        var blocks:Int = 4n;
        blocks *= 2n;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
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
        var blocks:Int = 4n;
        blocks *= 2n;
        val count = blocks;
        finish async at (p) @CUDA {
            finish for (block in 0n..(count - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A `var` is read while a kernel is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutableVariable {
    /// The variable.
    pub local: LocalId,
}

impl Render for MutableVariable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("the `var` `{}` may change before the launch", cx.local_name(self.local)))
            .note("the host evaluates this when the kernel is launched: copy the variable into a `val` before the `at`")
            .related(cx.declaration(self.local))
    }
}
