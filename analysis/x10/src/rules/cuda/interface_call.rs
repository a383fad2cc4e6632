//! `cuda/interface-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A call in a kernel through an interface.
pub static RULE: Rule = Rule {
    code: "cuda/interface-call",
    severity: Severity::Error,
    summary: "A call in a kernel through an interface.",
    explanation: r##"
Which code such a call runs depends on the class of an object, and objects live on the host.

Call a `@CUDA static def`.
"##,
    failing: r##"
import x10.compiler.CUDA;

interface Shape {
    @CUDA def area(x:Int):Int;
}

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, shape:Shape) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = shape.area(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

interface Shape {
    @CUDA def area(x:Int):Int;
}

class Example {
    @CUDA static def area(x:Int):Int = x * x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = area(thread);
                }
            }
        }
    }
}
"##,
};

/// A thread calls a method whose code depends on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum InterfaceCall {
    /// Through an interface.
    Interface(MethodId),
    /// A method of `Any`, on a value of the type parameter `of`.
    Any { method: MethodId, of: Ty },
}

impl Render for InterfaceCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match *self {
            InterfaceCall::Interface(method) => RULE
                .at(range, format!("a thread cannot call `{}` through an interface", cx.method_name(method)))
                .note("which code it is would depend on an object of the host: call a `@CUDA static def`, or take a struct that implements it as a \
                       type parameter, `T <: Interface`"),
            InterfaceCall::Any { method, of } => {
                let of = cx.show_base(of);
                RULE.at(range, format!("a thread cannot call `{}` of a `{of}`", cx.method_name(method))).note(format!(
                    "what all values have is made for the host: compare with `==`, or call a method that a bound of `{of}` promises and its \
                     structs mark `@CUDA`"
                ))
            }
        }
    }
}
