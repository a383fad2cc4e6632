//! `cuda/shared-initialiser`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Shared memory made in a way that a block cannot repeat.
pub static RULE: Rule = Rule {
    code: "cuda/shared-initialiser",
    severity: Severity::Error,
    summary: "Shared memory made in a way that a block cannot repeat.",
    explanation: r##"
Each block makes its shared memory anew, in one of four ways: `new Rail[T](n)` for zeros, `new Rail[T](n,
value)`, `new Rail[T](n, (i:Long) => ...)`, and `new Rail[T](rail)` for a copy of a `Rail` or `GlobalRail`
declared before the `at`. A function value in a variable is an object of the host, whose code the device
does not have.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val start = (i:Long) => 1.0f;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64, start);
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = cache(thread);
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
                val cache = new Rail[Float](64, (i:Long) => 1.0f);
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = cache(thread);
                }
            }
        }
    }
}
"##,
};

/// Shared memory with an unsupported initialiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedInitialiser {
    /// A rail that is not captured.
    UncapturedRail,
    /// A function value other than a closure.
    FunctionValue,
    /// Another constructor.
    Other,
}

impl Render for SharedInitialiser {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let why = match self {
            SharedInitialiser::UncapturedRail => {
                "it is filled from a rail that is not a local `val` declared before the `at`"
            }
            SharedInitialiser::FunctionValue => {
                "its elements come from a function value; write the closure itself, `(i:Long) => ...`"
            }
            SharedInitialiser::Other => "it is made in a way that a block cannot repeat",
        };
        RULE.at(range, format!("shared memory that no kernel can make: {why}")).note(
            "write `new Rail[T](n)`, `new Rail[T](n, value)`, `new Rail[T](n, (i:Long) => ...)`, or `new Rail[T](rail)` with a \
             `Rail` or `GlobalRail` declared before the `at`",
        )
    }
}
