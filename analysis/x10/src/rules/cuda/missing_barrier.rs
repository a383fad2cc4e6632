//! `cuda/missing-barrier`

use crate::diagnostics::{Rule, Severity};

/// Shared memory that one thread writes and another reads, with no barrier between.
pub static RULE: Rule = Rule {
    code: "cuda/missing-barrier",
    severity: Severity::Warning,
    summary: "Shared memory that one thread writes and another reads, with no barrier between.",
    explanation: r##"
The threads of a block run in any order. What one of them wrote into shared memory another one sees for sure only behind a
barrier that both have passed; and what it has yet to read may be overwritten by one that is ahead. The result then differs from
run to run, from device to device, and between a GPU and the processor.

Write `Clock.advanceAll()` between the write and the read. In a loop that fills shared memory anew in each round there are two
barriers: one between filling and reading, and one before it is filled again.

Only what is certain is reported. Indices and conditions are evaluated for all threads of a block: sums, products, remainders, masks and shifts
of the thread's indices, of loop variables and of values that are the same for all threads, as in `cache((thread + 1n) % 64n)`. The message names two
of the threads. Loops like `for (var d:Int = 32n; d > 0n; d /= 2n)`, where numbers alone decide how often they run, are executed iteration by
iteration. Where the number of threads is a variable, what is reported holds for any number from two on.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def reverse(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = out(block * 64n + thread);
                    out(block * 64n + thread) = cache(63n - thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def reverse(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = out(block * 64n + thread);
                    Clock.advanceAll();
                    out(block * 64n + thread) = cache(63n - thread);
                }
            }
        }
    }
}
"##,
};
