//! Barrier divergence: whether all threads of a block reach each barrier together. The analysis is that of
//! `apg-kernels`, on the model of a kernel; here its results get their words and fixes.
//!
//! Functions with barriers are analysed for each call, with what is known of its arguments.

mod move_barrier_out;

use apg_kernels::divergence::Cause;
use apg_kernels::model::Scope;
use apg_kernels::uniformity::{Argument, CallContext, DivergentCollective};
use apg_kernels::{Parameter, Spread, Uniformity};

use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, Owner, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::CalleeKind;
use crate::kernel::lower_kernel::lower_function;
use crate::rules::cuda::barrier_divergent::{self, Barrier, BarrierDivergent, DivergenceCause};
use crate::rules::slots::divergent_argument::{self, DivergentArgument};
use crate::rules::slots::divergent_call::DivergentCall;

/// Maximum depth of calls that are analysed.
const MAX_CALL_DEPTH: u32 = 16;

impl KernelContext<'_> {
    /// Reports barriers that not all threads of a block reach together.
    pub(in crate::kernel) fn report_divergence(&self, uniformity: &Uniformity<'_, LocalId, ExprId>) {
        self.report_divergence_at_depth(uniformity, 0);
    }

    fn report_divergence_at_depth(&self, uniformity: &Uniformity<'_, LocalId, ExprId>, depth: u32) {
        uniformity.divergent_collectives.iter().for_each(|it| self.report_divergent_collective(it));
        uniformity.calls.iter().for_each(|it| self.report_divergent_arguments(it));
        if depth < MAX_CALL_DEPTH {
            uniformity.calls.iter().for_each(|it| self.report_divergence_in_callee(it, depth));
        }
    }

    /// Analyses a function with collective operations for what is known of the arguments of a call.
    fn report_divergence_in_callee(&self, call: &CallContext<LocalId, ExprId>, depth: u32) {
        let semantics = self.semantics;
        let ExprKind::Call { method, receiver, .. } = self.expr(call.site).kind else { return };
        let result = semantics.body(method);
        let body = &result.body;
        let Some(root) = body.root else { return };
        let parents = Parents::of(body);
        let mut context = KernelContext::new(semantics, body, &parents, root);
        context.inner.extend(body.params.iter().copied());
        let range = self.expr(call.site).range;
        if !context.has_single_final_return(root) {
            let violation = self.violation(range, BarrierDivergent::EarlyReturn { method });
            let code = context.stmt(root).range;
            return self.report(violation.related(method, code, "its code"));
        }
        let (this, arguments) = call.arguments.split_at(usize::from(receiver.is_some()));
        let this = this.first().map_or(Spread::Uniform, |it| it.spread);
        let parameter = |(variable, argument): (&LocalId, &Argument<LocalId, ExprId>)| Parameter {
            variable: *variable,
            spread: argument.spread,
            range: argument.range,
        };
        let parameters = body.params.iter().zip(arguments).map(parameter).collect();
        let model = lower_function(&context, root, parameters, this);
        context.report_divergence_at_depth(&Uniformity::new(&model), depth + 1);
        if let Some(first) = context.into_violations().first() {
            let violation = match first.breaks(&divergent_argument::RULE) {
                true => self.violation(range, DivergentArgument::InCallee { method }),
                false => self.violation(range, BarrierDivergent::InCallee { method }),
            };
            let message = first.render(semantics.db, Owner::Method(method)).message;
            self.report(violation.related(method, first.range(), message));
        }
    }

    fn report_divergent_collective(&self, found: &DivergentCollective<LocalId, ExprId>) {
        let branch = &found.branch;
        let cause = match branch.cause {
            Cause::Index(local) => DivergenceCause::ThreadIndex(local),
            Cause::Parameter(local) => DivergenceCause::Argument(local),
            Cause::Data => DivergenceCause::Data,
            Cause::Rounding(division) => DivergenceCause::Rounding(self.expr(division).range),
        };
        let (condition, is_skipped) = (self.expr(branch.site).range, branch.is_skipped());
        if let ExprKind::Call { method, .. } = self.expr(found.site).kind
            && self.semantics.is_slot_call(method)
        {
            let data = DivergentCall { method, condition, cause, is_skipped };
            let fix = self.move_slot_call_out_fix(found.site).filter(|_| found.is_only_branch);
            return self.report(self.violation(self.expr(found.site).range, data).fix(fix));
        }
        let data = barrier_divergent::DivergentBranch {
            barrier: self.barrier_kind(found.site, found.scope),
            condition,
            cause,
            is_warp_uniform: branch.is_warp_uniform,
            is_skipped,
        };
        let fix = match branch.cause {
            Cause::Rounding(_) if found.scope == Scope::Warp => None,
            _ => self.move_barrier_out_fix(found.site).filter(|_| found.is_only_branch),
        };
        let range = self.expr(found.site).range;
        self.report(self.violation(range, BarrierDivergent::Branch(data)).fix(fix));
    }

    /// Reports what threads of a block state differently in a call of its slot.
    fn report_divergent_arguments(&self, call: &CallContext<LocalId, ExprId>) {
        let ExprKind::Call { method, receiver, args, .. } = &self.expr(call.site).kind else { return };
        if !self.semantics.is_slot_call(*method) {
            return;
        }
        let sites = receiver.iter().chain(args).zip(&call.arguments);
        for (position, (site, argument)) in sites.enumerate() {
            let (variable, is_thread_index) = match argument.cause {
                Some(Cause::Index(local)) => (local, true),
                Some(Cause::Parameter(local)) => (local, false),
                _ => continue,
            };
            if argument.range.as_constant().is_some() {
                continue;
            }
            let argument = match position.checked_sub(usize::from(receiver.is_some())) {
                None => divergent_argument::Argument::Slot,
                Some(position) => {
                    divergent_argument::Argument::Parameter(self.parameter_name(*method, position))
                }
            };
            let data = DivergentArgument::Argument { method: *method, argument, variable, is_thread_index };
            self.report_at(self.expr(*site).range, data);
        }
    }

    fn parameter_name(&self, method: MethodId, position: usize) -> String {
        let result = self.semantics.body(method);
        let parameter = result.body.params.get(position).map(|it| result.body.local(*it).name.to_string());
        parameter.unwrap_or_default()
    }

    fn barrier_kind(&self, expr: ExprId, scope: Scope) -> Barrier {
        match (&self.expr(expr).kind, scope) {
            (ExprKind::Call { method, .. }, Scope::Warp) => Barrier::WarpCollective(Some(*method)),
            (_, Scope::Warp) => Barrier::WarpCollective(None),
            (ExprKind::Call { method, .. }, Scope::Block)
                if self.semantics.callee_kind(*method) != CalleeKind::Barrier =>
            {
                Barrier::BlockCollective(*method)
            }
            _ => Barrier::Block,
        }
    }

    /// Whether the only `return` of a function is its last statement.
    fn has_single_final_return(&self, root: StmtId) -> bool {
        let is_return = |stmt: StmtId| matches!(self.stmt(stmt).kind, StmtKind::Return(_));
        let last = self.flat_statements(root).last().copied().filter(|stmt| is_return(*stmt));
        let mut early = false;
        self.body.walk(Node::Stmt(root), &mut |node| {
            early |= matches!(node, Node::Stmt(stmt) if is_return(stmt) && Some(stmt) != last);
            !early
        });
        !early
    }
}
