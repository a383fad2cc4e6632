//! `cuda/instance-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A call in a kernel of a private or final method of an object.
pub static RULE: Rule = Rule {
    code: "cuda/instance-call",
    severity: Severity::Error,
    summary: "A call in a kernel of a private or final method of an object.",
    explanation: r##"
It is known which code is called, but the object that it is called on lives on the host.

Make it a `@CUDA static def` and pass it what it needs.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Base {
    @CUDA def twice(x:Int):Int = 2n * x;
}

class Example extends Base {
    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = super.twice(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def twice(x:Int):Int = 2n * x;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice(thread);
                }
            }
        }
    }
}
"##,
};

/// A thread calls a final method on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceCall {
    /// The method.
    pub method: MethodId,
}

impl Render for InstanceCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("a thread cannot call `{}` on an object", cx.method_name(self.method)))
            .note("the object lives on the host: make it a `@CUDA static def` and pass what it needs")
    }
}
