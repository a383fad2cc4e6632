//! Reports of divergent barriers and collectives.

use crate::body::{ExprId, ExprKind};
use crate::kernel::device_semantics::CalleeKind;
use crate::kernel::uniformity::UniformityAnalysis;
use crate::kernel::uniformity::divergence::{Cause, DivergentBranch};
use crate::rules::cuda;

impl UniformityAnalysis<'_, '_> {
    /// The noun for the operation, why all threads must reach it, and what to write instead.
    fn describe_barrier(&self, expr: ExprId, of_warp: bool) -> (String, [&'static str; 2]) {
        let semantics = self.context.semantics;
        match &self.context.expr(expr).kind {
            ExprKind::Call { method, .. } if of_warp => {
                let notes = [
                    "the threads of a warp do this together: those that take another way would be missing",
                    "call it outside of the condition, in all threads, and use the result inside; or let whole warps go one way: by `CUDAWarp.index()`, or a bound that is a multiple of 32",
                ];
                (format!("`{}`", semantics.method_name(*method)), notes)
            }
            ExprKind::Call { method, .. } if semantics.callee_kind(*method) != CalleeKind::Barrier => {
                let notes = [
                    "threads do this together: those that take another way would be missing",
                    "call it outside of the condition, in all threads, and use the result inside",
                ];
                (format!("`{}`", semantics.method_name(*method)), notes)
            }
            _ => {
                let notes = [
                    "a barrier waits for all threads of the block: those that take another way would leave the others waiting for ever",
                    "move the barrier out of the condition, and let the threads that have nothing to do pass it as well",
                ];
                ("this barrier".to_owned(), notes)
            }
        }
    }

    /// Checks a barrier of the block, or a collective of a warp.
    pub(in crate::kernel) fn check_barrier(&self, expr: ExprId, of_warp: bool) {
        if !self.reporting {
            return;
        }
        let range = self.context.expr(expr).range;
        let parts = |branch: &&DivergentBranch| {
            branch.controls(range.start()) && !(of_warp && branch.is_warp_uniform)
        };
        let Some(branch) = self.control.iter().find(parts) else { return };
        let why = match branch.cause {
            Cause::Index(local) => {
                format!("it depends on the thread index `{}`", self.context.local(local).name)
            }
            Cause::Rounding(_) if of_warp => "it depends on the quotient of what may be negative".to_owned(),
            Cause::Data if branch.is_warp_uniform => {
                "it depends on data that differ from warp to warp".to_owned()
            }
            Cause::Data | Cause::Rounding(_) => {
                "it depends on data that differ from thread to thread".to_owned()
            }
        };
        let (what, notes) = self.describe_barrier(expr, of_warp);
        let group = if of_warp { "warp" } else { "block" };
        let skipped = if branch.from.is_some() {
            format!("some threads of the {group} skip {what}")
        } else {
            format!("not all threads of the {group} reach {what} together")
        };
        let [why_not, instead] = notes;
        let same = format!(
            "this condition is not the same for all threads of {}: {why}",
            if of_warp { "a warp" } else { "the block" }
        );
        let violation = self.context.violation(&cuda::barrier_divergent::RULE, range, skipped).note(why_not);
        self.context.report(match branch.cause {
            Cause::Rounding(division) if of_warp => violation
                .note("division rounds towards zero, so threads of a warp that counts from a negative number get two results: write `>> 5n` for `/ 32n`, `& 31n` for `% 32n`")
                .related(None, branch.range, same)
                .related(None, division, "this rounds towards zero"),
            _ => violation.note(instead).related(None, branch.range, same).fix(self.move_barrier_out_fix(expr)),
        });
    }
}
