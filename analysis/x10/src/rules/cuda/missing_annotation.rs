//! `cuda/missing-annotation`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Code without `@CUDA` that goes to an accelerator.
pub static RULE: Rule = Rule {
    code: "cuda/missing-annotation",
    severity: Severity::Warning,
    summary: "Code without `@CUDA` that goes to an accelerator.",
    explanation: r##"
An accelerator runs kernels and nothing else: an `at` that goes there without `@CUDA` raises a BadPlaceException when the program runs. The warning is given
where the place is certainly an accelerator, a child of a host in the topology; a place that may be a host is left alone.

Mark the code `@CUDA` and give it the shape of a kernel, or do it at the host and copy what is needed by `Rail.asyncCopy`.
"##,
    failing: r##"
class Example {
    static def start() {
        val gpu = PlaceTopology.getTopology().getChild(here, 0);
        finish async at (gpu) {
            Console.OUT.println(here);
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

class Example {
    static def start() {
        val gpu = PlaceTopology.getTopology().getChild(here, 0);
        val out = CUDAUtilities.makeGlobalRail[Int](gpu, 64);
        finish async at (gpu) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// Code other than a kernel at an accelerator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingAnnotation;

impl Render for MissingAnnotation {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "this place is an accelerator, where only kernels run")
            .note("a BadPlaceException is raised here when the program runs")
            .note(
                "write `async at (p) @CUDA { finish for (block in ...) async { clocked finish for (thread in ...) clocked async { ... } } }`; \
                 or go to its host, `p.parent()`, and copy by `Rail.asyncCopy`",
            )
    }
}
