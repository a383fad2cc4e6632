//! `cuda/direct-params-without-cuda`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// `@CUDADirectParams` on something that is not a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/direct-params-without-cuda",
    severity: Severity::Error,
    summary: "`@CUDADirectParams` on something that is not a kernel.",
    explanation: r##"
`@CUDADirectParams` asks that the variables a kernel captures be passed as launch parameters instead of
through memory of the device. apg decides that by itself, so the annotation is accepted but never needed.
Without `@CUDA` beside it there is no kernel that it could speak of.

Write `@CUDA @CUDADirectParams` before the body of the `at`, or remove it.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.compiler.CUDADirectParams;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDADirectParams {
            finish for (block in 0n..7n) async {
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
import x10.compiler.CUDADirectParams;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA @CUDADirectParams {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// `@CUDADirectParams` on something that is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectParamsWithoutCuda;

impl Render for DirectParamsWithoutCuda {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "`@CUDADirectParams` on something that is not a kernel")
            .note("it says how a kernel gets its parameters: write `@CUDA @CUDADirectParams` before the body of the `at`, or remove it")
    }
}
