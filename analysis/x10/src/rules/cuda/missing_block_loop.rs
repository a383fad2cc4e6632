//! `cuda/missing-block-loop`

use crate::diagnostics::{Rule, Severity};

/// A kernel without a loop over its blocks.
pub static RULE: Rule = Rule {
    code: "cuda/missing-block-loop",
    severity: Severity::Error,
    summary: "A kernel without a loop over its blocks.",
    explanation: r##"
The code of a kernel is that of its threads, which lie in two loops: one over the blocks, in it one over the
threads of a block. Here the outer one is missing.

Write `finish for (block in 0n..last) async { ... }` around what each block does.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            out(0) = 1.0f;
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
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
