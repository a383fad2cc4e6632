//! `hoist/call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A call while a kernel is set up, of a function not known to be free of effects.
pub static RULE: Rule = Rule {
    code: "hoist/call",
    severity: Severity::Error,
    summary: "A call while a kernel is set up, of a function not known to be free of effects.",
    explanation: r##"
The number of blocks and threads and the size of shared memory are computed on the host before the launch,
though they are written inside the `at`. A function that does something else beside computing, or asks where
it is, would do so at the wrong place. Arithmetic, and functions marked `@CUDA` or `@Pure`, are fine.

Call it before the `at` and keep the result in a `val`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def blocks():Int = 8n;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks() - 1n)) async {
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
    static def blocks():Int = 8n;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val count = blocks();
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
};

/// A call while a kernel is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// An element is read.
    Element,
    /// A method with possible effects is called.
    Method(MethodId),
}

impl Render for Call {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let message = match self {
            Call::Element => "an element is read while the kernel is set up".to_owned(),
            Call::Method(method) => {
                format!("a call of `{}` is not known to be free of effects", cx.method_name(*method))
            }
        };
        RULE.at(range, message).note("the host evaluates this before the launch, so it may be arithmetic only: what else a function does, or asks of the \
             place it runs at, would happen at the wrong place")
    }
}
