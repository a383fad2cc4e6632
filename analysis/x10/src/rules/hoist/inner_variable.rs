//! `hoist/inner-variable`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A variable of the kernel used while the kernel is set up.
pub static RULE: Rule = Rule {
    code: "hoist/inner-variable",
    severity: Severity::Error,
    summary: "A variable of the kernel used while the kernel is set up.",
    explanation: r##"
The number of blocks and threads and the size of shared memory are fixed before any block runs. So they
cannot depend on the index of a block, or on anything else that is declared inside the `at`, save the
variables of `CUDAUtilities.autoBlocks()` and `CUDAUtilities.autoThreads()`.

Take the largest number that any block needs, and let the threads that have nothing to do pass.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..(block + 7n)) clocked async {
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
                clocked finish for (thread in 0n..14n) clocked async {
                    if (thread <= block + 7n) out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A variable of the kernel is read while it is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerVariable {
    /// The variable.
    pub local: LocalId,
    /// What the host evaluates.
    pub whole: TextRange,
}

impl Render for InnerVariable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.local);
        RULE.at(range, format!("`{name}` is declared inside the kernel, so the host does not know it before the launch"))
            .note("blocks, threads and shared memory are set up before any of the kernel runs: declare what they depend on before the `at`")
            .related(cx.declaration(self.local))
            .related(cx.related(self.whole, "this is evaluated by the host"))
    }
}
