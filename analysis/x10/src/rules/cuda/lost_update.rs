//! `cuda/lost-update`

use crate::diagnostics::{Rule, Severity};

/// An element that all threads of a block read, change and store.
pub static RULE: Rule = Rule {
    code: "cuda/lost-update",
    severity: Severity::Warning,
    summary: "An element that all threads of a block read, change and store.",
    explanation: r##"
`sum(0) += x` reads the element, adds, and stores the result. Threads run at the same time: many read the same old value, and of what they
store the last one stays. The result then differs from run to run, and between a GPU and the processor.

`CUDAAtomic.add(sum, 0, x)` adds without being disturbed. Faster where there are many threads: each keeps a value of its own,
`CUDABlock.sum(x)` adds them up, and one thread stores the sum of the block.

Only what is certain is reported: the same element in all threads of a block, under no condition that picks threads.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def sum(p:Place, data:Rail[Float], out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(0) += data(block * 64n + thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.util.CUDAAtomic;

class Example {
    static def sum(p:Place, data:Rail[Float], out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    CUDAAtomic.add(out, 0, data(block * 64n + thread));
                }
            }
        }
    }
}
"##,
};
