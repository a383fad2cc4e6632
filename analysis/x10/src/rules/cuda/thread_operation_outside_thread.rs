//! `cuda/thread-operation-outside-thread`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// An operation of a warp, block or grid in the initialiser of shared memory.
pub static RULE: Rule = Rule {
    code: "cuda/thread-operation-outside-thread",
    severity: Severity::Error,
    summary: "An operation of a warp, block or grid in the initialiser of shared memory.",
    explanation: r##"
`CUDAWarp`, `CUDABlock` and `CUDAGrid` speak of the thread that calls them and of its neighbours. Which thread fills which element of
shared memory is not decided by the initialiser.

Call it in the code of the threads, or in a `@CUDA` function that they call.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.CUDABlock;

class Example {
    static def run(p:Place, out:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val ranks = new Rail[Int](64, (i:Long) => CUDABlock.rank());
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = ranks(63n - thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.util.CUDABlock;

class Example {
    static def run(p:Place, out:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val ranks = new Rail[Int](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    ranks(thread) = CUDABlock.rank();
                    Clock.advanceAll();
                    out(block * 64n + thread) = ranks(63n - thread);
                }
            }
        }
    }
}
"##,
};

/// A thread operation in the initialiser of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadOperationOutsideThread {
    /// The operation.
    pub method: MethodId,
}

impl Render for ThreadOperationOutsideThread {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("`{}` in the initialiser of shared memory", cx.method_name(self.method)))
            .note("which thread fills an element is not decided there: call it in the code of the threads")
    }
}
