//! A fix for divergent barriers: moves the barrier out of an `if`, and repeats the condition for the code
//! after it.

use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::CalleeKind;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};

impl KernelContext<'_> {
    /// The fix for a barrier directly in the braces of an `if`, which is the only divergent condition, whose
    /// condition is invariant.
    pub(super) fn move_barrier_out_fix(&self, barrier: ExprId) -> Option<FixTemplate> {
        let Some(Node::Stmt(stmt)) = self.parents.parent(Node::Expr(barrier)) else { return None };
        let Some(Node::Stmt(block)) = self.parents.parent(Node::Stmt(stmt)) else { return None };
        let Some(Node::Stmt(branch)) = self.parents.parent(Node::Stmt(block)) else { return None };
        let StmtKind::Block(stmts) = &self.stmt(block).kind else { return None };
        let StmtKind::If { condition, then, otherwise } = self.stmt(branch).kind else { return None };
        let around = self.parents.parent(Node::Stmt(branch));
        let in_block =
            matches!(around, Some(Node::Stmt(it)) if matches!(self.stmt(it).kind, StmtKind::Block(_)));
        let at = stmts.iter().position(|it| *it == stmt)?;
        let (before, behind) = (&stmts[..at], &stmts[at + 1..]);
        let is_barrier = matches!(self.expr(barrier).kind, ExprKind::Call { method, .. }
            if self.semantics.callee_kind(method) == CalleeKind::Barrier);
        if !is_barrier || then != block || !in_block || before.is_empty() {
            return None;
        }
        let others = before.iter().chain(behind).chain(&otherwise);
        if others.into_iter().any(|it| self.has_barrier(*it)) {
            return None;
        }
        let (range, whole) = (self.stmt(stmt).range, self.stmt(branch).range);
        let title = vec![text("Move the barrier out of the condition")];
        if behind.is_empty() {
            let moved = vec![Fragment::NewLine(whole.start()), Fragment::Source(range)];
            let edits = vec![
                EditTemplate { range, text: Vec::new() },
                EditTemplate { range: TextRange::empty(whole.end()), text: moved },
            ];
            return Some(FixTemplate::edits(title, edits));
        }
        if otherwise.is_some()
            || !self.is_invariant(condition)
            || self.declares_variable_used_in(before, behind)
        {
            return None;
        }
        let again = vec![
            text("}"),
            Fragment::NewLine(whole.start()),
            Fragment::Source(range),
            Fragment::NewLine(whole.start()),
            text("if ("),
            Fragment::Source(self.expr(condition).range),
            text(") {"),
        ];
        Some(FixTemplate::edits(title, vec![EditTemplate { range, text: again }]))
    }

    /// The fix for a call of a slot that is the last statement of an `if` without `else`: the call moves
    /// behind the `if`. An `if` without another statement is removed.
    pub(super) fn move_slot_call_out_fix(&self, call: ExprId) -> Option<FixTemplate> {
        let Some(Node::Stmt(stmt)) = self.parents.parent(Node::Expr(call)) else { return None };
        let Some(Node::Stmt(around)) = self.parents.parent(Node::Stmt(stmt)) else { return None };
        let (branch, before) = match &self.stmt(around).kind {
            StmtKind::Block(stmts) => match (self.parents.parent(Node::Stmt(around)), &stmts[..]) {
                (Some(Node::Stmt(branch)), [before @ .., last]) if *last == stmt => (branch, before),
                _ => return None,
            },
            _ => (around, &[][..]),
        };
        let StmtKind::If { otherwise: None, .. } = self.stmt(branch).kind else { return None };
        let outer = self.parents.parent(Node::Stmt(branch))?;
        let is_in_block = matches!(outer, Node::Stmt(it) if matches!(self.stmt(it).kind, StmtKind::Block(_)));
        let is_statement = matches!(self.stmt(stmt).kind, StmtKind::Expr(_));
        if !is_statement || !is_in_block || self.declares_variable_used_in(before, &[stmt]) {
            return None;
        }
        let (range, whole) = (self.stmt(stmt).range, self.stmt(branch).range);
        if before.is_empty() {
            let title = vec![text("Make the call in all threads")];
            let edit = EditTemplate { range: whole, text: vec![Fragment::Source(range)] };
            return Some(FixTemplate::edits(title, vec![edit]));
        }
        let moved = vec![Fragment::NewLine(whole.start()), Fragment::Source(range)];
        let edits = vec![
            EditTemplate { range, text: Vec::new() },
            EditTemplate { range: TextRange::empty(whole.end()), text: moved },
        ];
        Some(FixTemplate::edits(vec![text("Move the call out of the condition")], edits))
    }

    /// Whether a condition has the same value later: literals, `val`s, and arithmetic on these.
    fn is_invariant(&self, condition: ExprId) -> bool {
        let mut stays = true;
        self.body.walk(Node::Expr(condition), &mut |node| {
            stays &= matches!(node, Node::Expr(expr) if match &self.expr(expr).kind {
                ExprKind::Literal(_) | ExprKind::Coerce { .. } => true,
                ExprKind::Local(local) => !self.local(*local).mutable,
                ExprKind::ShortCircuit { .. } | ExprKind::Equal { .. } => true,
                ExprKind::Call { method, .. } => {
                    self.semantics.callee_kind(*method) == CalleeKind::Builtin && self.semantics.is_pure(*method)
                }
                _ => false,
            });
            stays
        });
        stays
    }

    /// Whether `behind` uses variables that `before` declares.
    fn declares_variable_used_in(&self, before: &[StmtId], behind: &[StmtId]) -> bool {
        let declares = |local| {
            before
                .iter()
                .any(|it| matches!(self.stmt(*it).kind, StmtKind::Let { local: it, .. } if it == local))
        };
        let mut uses = false;
        for stmt in behind {
            self.body.walk(Node::Stmt(*stmt), &mut |node| {
                uses |= matches!(node, Node::Expr(expr) if match self.expr(expr).kind {
                    ExprKind::Local(local) => declares(local),
                    ExprKind::Assign { target: crate::body::AssignTarget::Local(local), .. } => declares(local),
                    _ => false,
                });
                !uses
            });
        }
        uses
    }
}
