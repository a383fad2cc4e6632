//! `cuda/allocation`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::ObjectReference;
use crate::ty::Ty;

/// A `new` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/allocation",
    severity: Severity::Error,
    summary: "A `new` in the code of a kernel.",
    explanation: r##"
A device has no heap, and nothing there collects garbage.

Make the object before the `at`. For a small rail of fixed size that each thread has for itself, write
`@StackAllocate val r = new Rail[T](16)`. Structs of numbers may be made freely.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val own = new Rail[Float](4);
                    own(0) = thread;
                    out(block * 64n + thread) = own(0);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.compiler.StackAllocate;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    @StackAllocate val own = new Rail[Float](4);
                    own(0) = thread;
                    out(block * 64n + thread) = own(0);
                }
            }
        }
    }
}
"##,
};

/// A thread allocates an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum Allocation {
    /// A struct that refers to an object.
    Struct(ObjectReference),
    /// Constant memory.
    ConstantMemory(Ty),
    /// Another object of this type; `may_be_shared`: a rail in a kernel with barriers.
    Object { ty: Ty, may_be_shared: bool },
}

impl Render for Allocation {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let make = |ty: Ty| RULE.at(range, format!("a thread cannot make a new `{}`", cx.show_base(ty)));
        match self {
            Allocation::Struct(reference) => {
                let shown = cx.show_base(reference.ty);
                RULE.at(range, format!("a thread cannot have the struct `{shown}`, which refers to an object"))
                    .note("a device has no heap, and knows nothing of the objects of the host")
                    .note(reference.note(cx))
            }
            Allocation::ConstantMemory(ty) => make(*ty).note(
                "constant memory belongs to all blocks: define it before the loop over them, at the start of the `at`",
            ),
            Allocation::Object { ty, may_be_shared } => {
                let diagnostic = make(*ty).note("a device has no heap: make it before the `at`. For a small rail of fixed size write `@StackAllocate val r = new Rail[T](16)`");
                match may_be_shared {
                    true => diagnostic.note(
                        "memory that all threads of a block share is made before them, in the `async` of the blocks",
                    ),
                    false => diagnostic,
                }
            }
        }
    }
}
