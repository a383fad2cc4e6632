//! `cuda/static-field`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A static field used in a kernel that has no copy on the device.
pub static RULE: Rule = Rule {
    code: "cuda/static-field",
    severity: Severity::Error,
    summary: "A static field used in a kernel that has no copy on the device.",
    explanation: r##"
Static `val`s of number types and plain structs are passed to a kernel like captured variables. Others refer
to objects of the host.

Copy what is needed into a `val` before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static TABLE:Rail[Float] = new Rail[Float](64, 1.0f);

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = TABLE(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static TABLE:Rail[Float] = new Rail[Float](64, 1.0f);

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val table = TABLE;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = table(thread);
                }
            }
        }
    }
}
"##,
};

/// A thread uses a static field without a copy on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticField {
    /// The field.
    pub field: FieldId,
}

impl Render for StaticField {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("a thread cannot use the static field `{}`", self.field.name(cx.db)))
            .note("only static `val`s of number types and plain structs have a copy on the device: copy the field into a `val` before the `at`")
    }
}
