//! `cuda/barrier-divergent`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A barrier that not all threads of a block reach together.
pub static RULE: Rule = Rule {
    code: "cuda/barrier-divergent",
    severity: Severity::Error,
    summary: "A barrier that not all threads of a block reach together.",
    explanation: r##"
`Clock.advanceAll()` waits for all threads of the block. If it stands where only some of them come, the
others leave them waiting for ever; the device hangs. So a barrier may stand only under conditions that are
the same for all threads: not ones that depend on the index of the thread, or on data read at such an index,
nor in a loop that threads leave at different times.

Move the barrier out of the condition, and let the threads that have nothing to do pass it as well.

What the threads of a warp do together (`CUDAWarp.sum`, `shuffle`, ...) needs only these: it may stand under conditions that are the same
for all threads of each warp, such as `CUDAWarp.index() == 0n`, `thread / 32n < n`, `thread < 64n` (any multiple of 32), or one
computed from what `CUDAWarp.any` and the like give. What may be negative is shifted, `i >> 5n`, since `i / 32n` rounds towards zero.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    if (thread < 32n) {
                        cache(thread) = thread;
                        Clock.advanceAll();
                    }
                    out(block * 64n + thread) = cache(0);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    if (thread < 32n) {
                        cache(thread) = thread;
                    }
                    Clock.advanceAll();
                    out(block * 64n + thread) = cache(0);
                }
            }
        }
    }
}
"##,
};

/// Not all threads reach a barrier together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum BarrierDivergent {
    /// A function with barriers may return before them.
    EarlyReturn { method: MethodId },
    /// A function diverges before a barrier in it, with the arguments of this call.
    InCallee { method: MethodId },
    /// A divergent branch controls the barrier.
    Branch(DivergentBranch),
}

/// A barrier under a divergent branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergentBranch {
    /// The barrier or collective operation.
    pub barrier: Barrier,
    /// Its condition.
    pub condition: TextRange,
    /// Why the condition is divergent.
    pub cause: DivergenceCause,
    /// Whether the condition is the same within each warp.
    pub is_warp_uniform: bool,
    /// Whether threads skip the barrier by a jump.
    pub is_skipped: bool,
}

/// An operation that threads execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// The barrier of the block.
    Block,
    /// A collective operation of the block.
    BlockCollective(MethodId),
    /// A collective operation of a warp, if it has a name.
    WarpCollective(Option<MethodId>),
}

/// Why a condition is divergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivergenceCause {
    /// It depends on this thread index.
    ThreadIndex(LocalId),
    /// It depends on this parameter, for which threads of a call have different arguments.
    Argument(LocalId),
    /// It depends on data.
    Data,
    /// It depends on the division or remainder at this range, of a number that may be negative.
    Rounding(TextRange),
}

impl DivergentBranch {
    /// The operation, why all threads must reach it, and what to write instead.
    fn describe_barrier(&self, cx: &RenderContext<'_>) -> (String, &'static str, &'static str) {
        match self.barrier {
            Barrier::WarpCollective(Some(method)) => (
                format!("`{}`", cx.method_name(method)),
                "the threads of a warp do this together: those that take another way would be missing",
                "call it outside of the condition, in all threads, and use the result inside; or let whole warps go one way: by `CUDAWarp.index()`, or a bound that is a multiple of 32",
            ),
            Barrier::BlockCollective(method) => (
                format!("`{}`", cx.method_name(method)),
                "threads do this together: those that take another way would be missing",
                "call it outside of the condition, in all threads, and use the result inside",
            ),
            Barrier::Block | Barrier::WarpCollective(None) => (
                "this barrier".to_owned(),
                "a barrier waits for all threads of the block: those that take another way would leave the others waiting for ever",
                "move the barrier out of the condition, and let the threads that have nothing to do pass it as well",
            ),
        }
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let of_warp = matches!(self.barrier, Barrier::WarpCollective(_));
        let (what, why_not, instead) = self.describe_barrier(cx);
        let group = if of_warp { "warp" } else { "block" };
        let message = match self.is_skipped {
            true => format!("some threads of the {group} skip {what}"),
            false => format!("not all threads of the {group} reach {what} together"),
        };
        let why = match self.cause {
            DivergenceCause::ThreadIndex(local) => {
                format!("it depends on the thread index `{}`", cx.local_name(local))
            }
            DivergenceCause::Argument(local) => {
                format!("it depends on `{}`, which differs from thread to thread", cx.local_name(local))
            }
            DivergenceCause::Rounding(_) if of_warp => {
                "it depends on the quotient of what may be negative".to_owned()
            }
            DivergenceCause::Data if self.is_warp_uniform => {
                "it depends on data that differ from warp to warp".to_owned()
            }
            DivergenceCause::Data | DivergenceCause::Rounding(_) => {
                "it depends on data that differ from thread to thread".to_owned()
            }
        };
        let same = format!(
            "this condition is not the same for all threads of {}: {why}",
            if of_warp { "a warp" } else { "the block" }
        );
        let diagnostic = RULE.at(range, message).note(why_not);
        match self.cause {
            DivergenceCause::Rounding(division) if of_warp => diagnostic
                .note("division rounds towards zero, so threads of a warp that counts from a negative number get two results: write `>> 5n` for `/ 32n`, `& 31n` for `% 32n`")
                .related(cx.related(self.condition, same))
                .related(cx.related(division, "this rounds towards zero")),
            _ => diagnostic.note(instead).related(cx.related(self.condition, same)),
        }
    }
}

impl Render for BarrierDivergent {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            BarrierDivergent::EarlyReturn { method } => RULE
                .at(range, format!("`{}` may return before threads have met in it", cx.method_name(*method)))
                .note("all threads go through such a function together: give it one `return`, at its end"),
            BarrierDivergent::InCallee { method } => RULE
                .at(range, format!("the threads that call `{}` part inside it before they meet", cx.method_name(*method)))
                .note("with these arguments a condition in it is not the same for all threads that meet behind it"),
            BarrierDivergent::Branch(branch) => branch.render(range, cx),
        }
    }
}
