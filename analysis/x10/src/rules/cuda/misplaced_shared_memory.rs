//! `cuda/misplaced-shared-memory`

use crate::diagnostics::{Rule, Severity};

/// A rail made inside a kernel but outside its blocks.
pub static RULE: Rule = Rule {
    code: "cuda/misplaced-shared-memory",
    severity: Severity::Error,
    summary: "A rail made inside a kernel but outside its blocks.",
    explanation: r##"
Memory that threads share belongs to a block: each block has its own, made when it starts. What stands
before the blocks would be shared by all of them, which a device does not offer.

Define it between the loop over the blocks and the loop over the threads. A rail that all blocks read is
made before the `at`; it is copied to the device. Behind the threads a rail would come too late for them.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            val cache = new Rail[Float](64);
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = thread;
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
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
