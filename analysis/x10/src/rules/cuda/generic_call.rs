//! `cuda/generic-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A call of code for a type that it cannot have on a device.
pub static RULE: Rule = Rule {
    code: "cuda/generic-call",
    severity: Severity::Error,
    summary: "A call of code with type parameters, which kernels run, for a type that a device does not have.",
    explanation: r##"
A `@CUDA` function with type parameters, and a kernel in a method or class that has some, is compiled for each type that it is called
for: numbers, `Boolean`, `Char`, and structs of these. What it calls that an interface promises of a type parameter, operators among it
(`T <: Arithmetic[T]`, `O <: Reducible[T]`), is a method of that type, and must be marked `@CUDA` as any other function that a kernel
calls. Such a method waits for no other threads, and does not ask which thread it runs in.

The overriding methods of an object with type parameters can be called wherever the object is known: kernels in them are compiled for the
types that the object is made for.

Mark the method `@CUDA`, or call the code for another type.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static struct Pair(a:Int, b:Int) implements Arithmetic[Pair] {
        public operator + this:Pair = this;
        public operator - this:Pair = Pair(-a, -b);
        public operator this + (that:Pair):Pair = Pair(a + that.a, b + that.b);
        public operator this - (that:Pair):Pair = Pair(a - that.a, b - that.b);
        public operator this * (that:Pair):Pair = Pair(a * that.a, b * that.b);
        public operator this / (that:Pair):Pair = Pair(a / that.a, b / that.b);
    }
    @CUDA static def twice[T](x:T){T <: Arithmetic[T]}:T = x + x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice[Pair](Pair(thread, block)).a;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static struct Pair(a:Int, b:Int) implements Arithmetic[Pair] {
        @CUDA public operator + this:Pair = this;
        @CUDA public operator - this:Pair = Pair(-a, -b);
        @CUDA public operator this + (that:Pair):Pair = Pair(a + that.a, b + that.b);
        @CUDA public operator this - (that:Pair):Pair = Pair(a - that.a, b - that.b);
        @CUDA public operator this * (that:Pair):Pair = Pair(a * that.a, b * that.b);
        @CUDA public operator this / (that:Pair):Pair = Pair(a / that.a, b / that.b);
    }
    @CUDA static def twice[T](x:T){T <: Arithmetic[T]}:T = x + x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice[Pair](Pair(thread, block)).a;
                }
            }
        }
    }
}
"##,
};

/// A call with type arguments that device code cannot be compiled for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum GenericCall {
    /// A type argument has no device representation.
    TypeArgument { method: MethodId, ty: Ty },
    /// Device code reached by the call stores values of the type; `required_by`: in this method, unless it is
    /// the called one.
    Storage { method: MethodId, ty: Ty, required_by: Option<MethodId> },
    /// Through a bound, `caller` calls a method of the type that is not marked `@CUDA`.
    Unannotated { caller: MethodId, method: MethodId, ty: Ty },
    /// Through a bound, `caller` calls a method that depends on the threads around it.
    ThreadDependent { caller: MethodId, method: MethodId },
    /// Through a bound, `caller` calls a method that writes a captured rail.
    WritesCapture { caller: MethodId, method: MethodId },
}

impl Render for GenericCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = |method: MethodId| cx.method_name(method);
        match *self {
            GenericCall::TypeArgument { method, ty } => RULE
                .at(range, format!("`{}` is called for `{}`, which a device cannot hold", name(method), cx.show_base(ty)))
                .note("a generic function is compiled for each type that it is called for: numbers, `Boolean`, `Char`, and structs of these"),
            GenericCall::Storage { method, ty, required_by } => {
                let diagnostic = RULE
                    .at(range, format!("`{}` is called for `{}`, which a device cannot hold", name(method), cx.show_base(ty)))
                    .note("code with type parameters that kernels run is compiled for each type that it is called for: numbers, `Boolean`, `Char`, \
                           and structs of these");
                match required_by {
                    Some(by) => diagnostic.note(format!("this leads to `{}`, which has code for devices", name(by))),
                    None => diagnostic,
                }
            }
            GenericCall::Unannotated { caller, method, ty } => RULE
                .at(range, format!("`{}` calls `{}` for these types, which is not made for the device", name(caller), name(method)))
                .note(format!(
                    "a type parameter stands for `{}` here, and a thread calls what its bound promises: only functions marked `@CUDA` are \
                     checked and compiled for the device",
                    cx.show_base(ty)
                )),
            GenericCall::ThreadDependent { caller, method } => RULE
                .at(range, format!("`{}`, which `{}` calls by an interface, is about the threads around it", name(method), name(caller)))
                .note("it waits for them, or asks for the number of its own: what an interface promises may do neither"),
            GenericCall::WritesCapture { caller, method } => RULE
                .at(range, format!("`{}`, which `{}` calls by an interface, sets elements of a captured rail", name(method), name(caller)))
                .note("a rail of the host is copied to the device and not back: write into a `GlobalRail`"),
        }
    }
}
