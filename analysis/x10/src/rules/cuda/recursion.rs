//! `cuda/recursion`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A function reached from a kernel that calls itself.
pub static RULE: Rule = Rule {
    code: "cuda/recursion",
    severity: Severity::Error,
    summary: "A function reached from a kernel that calls itself.",
    explanation: r##"
The stack of a thread is small and its size is fixed at launch; there are thousands of them.

Write the repetition as a loop.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def sum(n:Int):Int = n <= 0n ? 0n : n + sum(n - 1n);

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = sum(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def sum(n:Int):Int = n * (n + 1n) / 2n;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = sum(thread);
                }
            }
        }
    }
}
"##,
};

/// A function that a kernel calls is recursive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recursion {
    /// The function.
    pub method: MethodId,
}

impl Render for Recursion {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("`{}` calls itself, directly or through others", cx.method_name(self.method)))
            .note("a thread's stack is small and fixed: write the repetition as a loop")
    }
}
