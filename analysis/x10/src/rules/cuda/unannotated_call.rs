//! `cuda/unannotated-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A call in a kernel of a function that is not marked `@CUDA`.
pub static RULE: Rule = Rule {
    code: "cuda/unannotated-call",
    severity: Severity::Error,
    summary: "A call in a kernel of a function that is not marked `@CUDA`.",
    explanation: r##"
Functions that kernels call are compiled for the device as well, and must keep its rules. Those that do are
marked `@CUDA`; other functions make no such promise.

Annotate the function. If it belongs to the class library and has no version for the device, compute the
value before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def twice(x:Int):Int = 2n * x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
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
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def twice(x:Int):Int = 2n * x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
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

/// A thread calls a method that is not marked `@CUDA`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnannotatedCall {
    /// The method.
    pub method: MethodId,
    /// Whose method it is.
    pub callee: UnannotatedCallee,
}

/// Whose method a thread calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnannotatedCallee {
    /// A method of the program.
    User,
    /// A copy operation of the class library.
    LibraryCopy,
    /// Another method of the class library.
    Library,
}

impl Render for UnannotatedCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.method_name(self.method);
        let diagnostic = RULE.at(range, format!("a thread calls `{name}`, which is not made for the device"));
        match self.callee {
            UnannotatedCallee::User => diagnostic.note(format!(
                "only functions marked `@CUDA` are checked and compiled for the device: annotate `{name}`"
            )),
            UnannotatedCallee::LibraryCopy => diagnostic.note("memory is copied by the host: copy before or after the `at`, or let the threads assign the elements"),
            UnannotatedCallee::Library => diagnostic.note("the class library has no version of it for the device: compute it before the `at`, or write a `@CUDA static def`"),
        }
    }
}
