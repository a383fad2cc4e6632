//! Kernels whose end an activity waits for before it makes the call that their blocks wait for.

use crate::body::walk::Node;
use crate::body::{StmtId, StmtKind};
use crate::kernel::fixes::template::FixTemplate;
use crate::rules::slots::blocking_launch::BlockingLaunch;

use super::SlotAnalysis;
use super::block_trace::BlockTrace;
use super::call::SlotCall;
use super::operand::Operand;
use super::origin::Side;

impl SlotAnalysis<'_> {
    pub(super) fn check_launches(&self, traces: &[Vec<BlockTrace>]) {
        for (kernel, traces) in traces.iter().enumerate() {
            let at = self.kernels[kernel].at;
            let Some((waiting, is_async)) = self.waiting_statement(at) else { continue };
            let events = traces.iter().flat_map(|it| &it.events);
            let made = events.filter(|it| !it.is_in_loop || self.calls[it.call].is_certain());
            let mut calls = made.map(|it| &self.calls[it.call]);
            let Some(call) = calls.find(|it| self.waits_for_later(it, waiting)) else { continue };
            let data = BlockingLaunch { method: call.method, call: self.context.expr(call.site).range };
            let range = self.context.stmt(at).range;
            let head = self.context.expr(self.kernels[kernel].place).range;
            let fix = (!is_async && self.is_in_finish(waiting))
                .then(|| FixTemplate::insert("Launch the kernel by `async`", range.start(), "async "));
            let violation =
                self.context.violation(apg_syntax::TextRange::new(range.start(), head.end()), data);
            self.context.report(violation.fix(fix));
        }
    }

    /// The statement behind which a kernel has ended, and whether the kernel is launched by an `async` in it.
    fn waiting_statement(&self, at: StmtId) -> Option<(StmtId, bool)> {
        let mut stmt = at;
        let mut is_async = false;
        loop {
            let Some(Node::Stmt(around)) = self.context.parents.parent(Node::Stmt(stmt)) else { return None };
            match &self.context.stmt(around).kind {
                StmtKind::Async { .. } => is_async = true,
                StmtKind::Finish { .. } if is_async => return Some((around, true)),
                StmtKind::Block(stmts) if stmts.len() > 1 => return (!is_async).then_some((stmt, false)),
                StmtKind::Block(_) => {}
                _ => return None,
            }
            stmt = around;
        }
    }

    fn is_in_finish(&self, stmt: StmtId) -> bool {
        let around = |node| self.context.parents.parent(node);
        let Some(block) = around(Node::Stmt(stmt)) else { return false };
        matches!(around(block), Some(Node::Stmt(it)) if matches!(self.context.stmt(it).kind, StmtKind::Finish { .. }))
    }

    /// Whether a call of a block waits for an activity of the same group, and all calls of activities follow
    /// a statement in its block.
    fn waits_for_later(&self, call: &SlotCall, waiting: StmtId) -> bool {
        let Some(group) = call.slot.group().filter(|it| self.sees_all_calls(*it)) else { return false };
        let waits = matches!(&*call.name, "send" | "recv" | "sendRecv" | "sendRecvReplace");
        let mut partners = call.destination().into_iter().chain(call.source());
        let is_of_activity = |it: &Operand| self.side_of_rank(it, group) == Some(Side::Activities);
        let Some((later, position)) = self.statement_list(waiting) else { return false };
        let mut others = self.calls.iter().filter(|it| it.is_of(group, Side::Activities)).peekable();
        waits
            && partners.any(is_of_activity)
            && others.peek().is_some()
            && others
                .all(|it| later[position + 1..].iter().any(|stmt| self.is_inside(Node::Expr(it.site), *stmt)))
    }
}
