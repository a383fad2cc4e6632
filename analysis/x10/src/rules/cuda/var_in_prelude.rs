//! `cuda/var-in-prelude`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `var` before the blocks of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/var-in-prelude",
    severity: Severity::Error,
    summary: "A `var` before the blocks of a kernel.",
    explanation: r##"
What is defined before the blocks is the same for all blocks and threads, and set before the launch. A
variable there would be changed by all threads at once, without order.

Use a `val`, or declare the variable in the code of the threads, where each has its own.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            var blocks:Int = CUDAUtilities.autoBlocks();
            finish for (block in 0n..(7n)) async {
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
import x10.util.CUDAUtilities;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A `var` of the whole kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarInPrelude {
    /// The variable.
    pub local: LocalId,
}

impl Render for VarInPrelude {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("`{}` is a `var` of the whole kernel", cx.local_name(self.local))).note(
            "all blocks and threads would share it: make it a `val`, or declare it in the thread's code",
        )
    }
}
