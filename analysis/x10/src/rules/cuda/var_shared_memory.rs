//! `cuda/var-shared-memory`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Shared memory held by a `var`.
pub static RULE: Rule = Rule {
    code: "cuda/var-shared-memory",
    severity: Severity::Error,
    summary: "Shared memory held by a `var`.",
    explanation: r##"
Shared memory has an address that is fixed at launch. A `var` could be given another rail, which a device
cannot make.

Declare it with `val`. The elements can be changed all the same.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                var cache:Rail[Float] = new Rail[Float](64);
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
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = thread;
                    out(block * 64n + thread) = cache(thread);
                }
            }
        }
    }
}
"##,
};

/// Shared memory in a `var`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarSharedMemory {
    /// The variable.
    pub local: LocalId,
}

impl Render for VarSharedMemory {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("the shared memory `{}` is a `var`", cx.local_name(self.local)))
            .note("shared memory has a fixed address: declare it with `val`; its elements may be changed")
    }
}
