//! `cuda/auto-twice`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Related, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Auto-configuration requested twice in one kernel.
pub static RULE: Rule = Rule {
    code: "cuda/auto-twice",
    severity: Severity::Error,
    summary: "Auto-configuration requested twice in one kernel.",
    explanation: r##"
`CUDAUtilities.autoBlocks()` and `CUDAUtilities.autoThreads()` tell how the kernel is launched. A kernel is
launched one way, so each is requested once; a second call would be the same number under another name.

Use the first variable in both places.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            val last = CUDAUtilities.autoBlocks();
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

/// Automatic configuration is requested twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoTwice {
    /// The variable that has it already.
    pub first: LocalId,
}

impl Render for AutoTwice {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.first);
        let declared = Related { message: "first requested here".to_owned(), ..cx.declaration(self.first) };
        RULE.at(range, format!("the kernel asks for this a second time; `{name}` has it already"))
            .note(format!("both would be the same number: use `{name}`"))
            .related(declared)
    }
}
