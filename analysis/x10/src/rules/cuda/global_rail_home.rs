//! `cuda/global-rail-home`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Path;

/// A `GlobalRail` in a kernel that lives elsewhere by its type.
pub static RULE: Rule = Rule {
    code: "cuda/global-rail-home",
    severity: Severity::Warning,
    summary: "A `GlobalRail` in a kernel that lives elsewhere by its type.",
    explanation: r##"
A kernel reads and writes memory of its own place only. The type of this rail says that it lives at a place
that is not known to be the kernel's; whether it is gets checked at the launch, with an exception if it is
not.

Say so in the type, `GlobalRail[T]{self.home() == p}`, or make the rail at `p`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, q:Place, other:GlobalRail[Float]{self.home() == q}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = other(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, other:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = other(thread);
                }
            }
        }
    }
}
"##,
};

/// A captured `GlobalRail` lives at another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalRailHome {
    /// The rail.
    pub local: LocalId,
    /// Its home.
    pub home: Path,
    /// The kernel's place.
    pub target: Path,
    /// The expression of that place.
    pub place: TextRange,
}

impl Render for GlobalRailHome {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.local);
        RULE.at(range, format!("`{name}` lives at `{}`, the kernel runs at `{}`", self.home, self.target))
            .note("a kernel reads and writes only memory of its own place; that the two are the same is checked at the launch")
            .related(cx.related(self.place, "the kernel's place"))
    }
}
