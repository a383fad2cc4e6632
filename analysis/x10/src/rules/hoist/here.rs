//! `hoist/here`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// `here` used while a kernel is set up.
pub static RULE: Rule = Rule {
    code: "hoist/here",
    severity: Severity::Error,
    summary: "`here` used while a kernel is set up.",
    explanation: r##"
The number of blocks and threads and the size of shared memory are computed on the host before the launch.
`here` would be the host there, and the device in the kernel.

Use the variable of the place that the `at` names, before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(here.id as Int)) async {
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

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val last = p.id as Int;
        finish async at (p) @CUDA {
            finish for (block in 0n..last) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// `here` while a kernel is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Here;

impl Render for Here {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "`here` is not yet the kernel's place while the kernel is set up")
            .note("the host evaluates this before the launch, where `here` is the host and not the device: use the variable of the place that \
             the `at` names, before the `at`")
    }
}
