//! `hoist/field-access`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A field read while a kernel is set up.
pub static RULE: Rule = Rule {
    code: "hoist/field-access",
    severity: Severity::Error,
    summary: "A field read while a kernel is set up.",
    explanation: r##"
How many blocks and threads a kernel has, and how much shared memory, is computed on the host before the
launch, though it is written inside the `at`. Inside, a field belongs to an object that may have been copied
there or changed in between, so the two values could differ.

Read the field into a `val` before the `at`; then it is clear when it is read.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    val count:Int = 8n;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(count - 1n)) async {
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
    val count:Int = 8n;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val blocks = count;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A field is read while a kernel is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldAccess {
    /// `this` is used.
    This,
    /// A field of an object.
    Field(FieldId),
}

impl Render for FieldAccess {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            FieldAccess::This => RULE
                .at(range, "`this` does not travel with a kernel")
                .note("copy what is needed of it into a `val` before the `at`"),
            FieldAccess::Field(field) => RULE
                .at(range, format!("the field `{}` cannot be read while a kernel is set up", field.name(cx.db)))
                .note("the object may live elsewhere or change in between: read the field into a `val` before the `at`"),
        }
    }
}
