//! `cuda/captured-var`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `var` of the code around a kernel used in the kernel.
pub static RULE: Rule = Rule {
    code: "cuda/captured-var",
    severity: Severity::Error,
    summary: "A `var` of the code around a kernel used in the kernel.",
    explanation: r##"
A kernel gets copies of the variables that it uses, at launch. A `var` that changes on one side would not
change on the other.

Copy it into a `val` before the `at`. To bring a result back, write it into a `GlobalRail`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        var scale:Float = 1.0f;
        scale *= 2.0f;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = scale;
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
        var scale:Float = 1.0f;
        scale *= 2.0f;
        val fixed = scale;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = fixed;
                }
            }
        }
    }
}
"##,
};

/// A kernel captures a `var`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedVar {
    /// The variable.
    pub local: LocalId,
}

impl Render for CapturedVar {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.local);
        RULE.at(range, format!("a kernel uses the `var` `{name}` of the code around it"))
            .note("the device gets a copy at launch; a change on either side would not reach the other. Copy it into a `val` before the `at`, or return results in a `GlobalRail`")
            .related(cx.declaration(self.local))
    }
}
