//! Reports of divergent barriers and collectives.

use crate::body::{ExprId, ExprKind};
use crate::kernel::device_semantics::CalleeKind;
use crate::kernel::uniformity::UniformityAnalysis;
use crate::kernel::uniformity::divergence::{Cause, DivergentBranch};
use crate::rules::cuda::barrier_divergent::{self, Barrier, BarrierDivergent, DivergenceCause};

impl UniformityAnalysis<'_, '_> {
    /// Checks a barrier of the block, or a collective of a warp.
    pub(in crate::kernel) fn check_barrier(&self, expr: ExprId, of_warp: bool) {
        if !self.reporting {
            return;
        }
        let range = self.context.expr(expr).range;
        let diverges = |branch: &&DivergentBranch| {
            branch.controls(range.start()) && !(of_warp && branch.is_warp_uniform)
        };
        let Some(branch) = self.control.iter().find(diverges) else { return };
        let data = barrier_divergent::DivergentBranch {
            barrier: self.barrier_kind(expr, of_warp),
            condition: branch.range,
            cause: match branch.cause {
                Cause::Index(local) => DivergenceCause::ThreadIndex(local),
                Cause::Data => DivergenceCause::Data,
                Cause::Rounding(division) => DivergenceCause::Rounding(division),
            },
            is_warp_uniform: branch.is_warp_uniform,
            is_skipped: branch.from.is_some(),
        };
        let fix = match branch.cause {
            Cause::Rounding(_) if of_warp => None,
            _ => self.move_barrier_out_fix(expr),
        };
        self.context.report(self.context.violation(range, BarrierDivergent::Branch(data)).fix(fix));
    }

    fn barrier_kind(&self, expr: ExprId, of_warp: bool) -> Barrier {
        match self.context.expr(expr).kind {
            ExprKind::Call { method, .. } if of_warp => Barrier::WarpCollective(Some(method)),
            _ if of_warp => Barrier::WarpCollective(None),
            ExprKind::Call { method, .. }
                if self.context.semantics.callee_kind(method) != CalleeKind::Barrier =>
            {
                Barrier::BlockCollective(method)
            }
            _ => Barrier::Block,
        }
    }
}
