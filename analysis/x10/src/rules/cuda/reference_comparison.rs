//! `cuda/reference-comparison`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// References compared in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/reference-comparison",
    severity: Severity::Error,
    summary: "References compared in the code of a kernel.",
    explanation: r##"
Rails and objects of the host have no identity on a device: what arrives there is a copy or an address.

Compare before the `at` and pass the result.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, a:Rail[Float], b:Rail[Float]) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = (a == b ? 1.0f : 0.0f);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, a:Rail[Float], b:Rail[Float]) {
        val same = a == b;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = (same ? 1.0f : 0.0f);
                }
            }
        }
    }
}
"##,
};

/// A thread compares references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceComparison;

impl Render for ReferenceComparison {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot compare references")
            .note("an object or rail of the host has no identity on a device: compare before the `at` and pass the result")
    }
}
