//! A fix for barriers under a condition: the barrier moves out, and what follows it is put under the condition again.

use apg_syntax::TextRange;

use super::Uniformity;
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, StmtId, StmtKind};
use crate::kernel::facts::Callable;
use crate::kernel::repair::{Piece, Repair, RepairEdit, text};

impl Uniformity<'_, '_> {
    /// For a barrier directly in the braces of an `if` that is all that parts the threads, and whose condition stays as it is.
    pub(super) fn barrier_outside(&self, barrier: ExprId) -> Option<Repair> {
        let draft = self.draft;
        let Some(Node::Stmt(stmt)) = draft.parents.parent(Node::Expr(barrier)) else { return None };
        let Some(Node::Stmt(block)) = draft.parents.parent(Node::Stmt(stmt)) else { return None };
        let Some(Node::Stmt(branch)) = draft.parents.parent(Node::Stmt(block)) else { return None };
        let StmtKind::Block(stmts) = &draft.stmt(block).kind else { return None };
        let StmtKind::If { condition, then, otherwise } = draft.stmt(branch).kind else { return None };
        let around = draft.parents.parent(Node::Stmt(branch));
        let in_block =
            matches!(around, Some(Node::Stmt(it)) if matches!(draft.stmt(it).kind, StmtKind::Block(_)));
        let at = stmts.iter().position(|it| *it == stmt)?;
        let (before, behind) = (&stmts[..at], &stmts[at + 1..]);
        let is_barrier = matches!(draft.expr(barrier).kind, ExprKind::Call { method, .. }
            if draft.facts.callable(method) == Callable::Barrier);
        if !is_barrier || then != block || !in_block || self.control.len() != 1 || before.is_empty() {
            return None;
        }
        let others = before.iter().chain(behind).chain(&otherwise);
        if others.into_iter().any(|it| draft.has_barrier(*it)) {
            return None;
        }
        let (range, whole) = (draft.stmt(stmt).range, draft.stmt(branch).range);
        let title = vec![text("Move the barrier out of the condition")];
        if behind.is_empty() {
            let moved = vec![Piece::NewLine(whole.start()), Piece::Source(range)];
            let edits = vec![
                RepairEdit { range, text: Vec::new() },
                RepairEdit { range: TextRange::empty(whole.end()), text: moved },
            ];
            return Some(Repair::edits(title, edits));
        }
        if otherwise.is_some() || !self.stays(condition) || self.declares_for(before, behind) {
            return None;
        }
        let again = vec![
            text("}"),
            Piece::NewLine(whole.start()),
            Piece::Source(range),
            Piece::NewLine(whole.start()),
            text("if ("),
            Piece::Source(draft.expr(condition).range),
            text(") {"),
        ];
        Some(Repair::edits(title, vec![RepairEdit { range, text: again }]))
    }

    /// Whether a condition has the same value later: numbers and `val`s, and arithmetic on these.
    fn stays(&self, condition: ExprId) -> bool {
        let draft = self.draft;
        let mut stays = true;
        draft.body.walk(Node::Expr(condition), &mut |node| {
            stays &= matches!(node, Node::Expr(expr) if match &draft.expr(expr).kind {
                ExprKind::Literal(_) | ExprKind::Coerce { .. } => true,
                ExprKind::Local(local) => !draft.local(*local).mutable,
                ExprKind::ShortCircuit { .. } | ExprKind::Equal { .. } => true,
                ExprKind::Call { method, .. } => {
                    draft.facts.callable(*method) == Callable::Builtin && draft.facts.is_pure(*method)
                }
                _ => false,
            });
            stays
        });
        stays
    }

    /// Whether statements use variables that others before them declare.
    fn declares_for(&self, before: &[StmtId], behind: &[StmtId]) -> bool {
        let draft = self.draft;
        let declares = |local| {
            before
                .iter()
                .any(|it| matches!(draft.stmt(*it).kind, StmtKind::Let { local: it, .. } if it == local))
        };
        let mut uses = false;
        for stmt in behind {
            draft.body.walk(Node::Stmt(*stmt), &mut |node| {
                uses |= matches!(node, Node::Expr(expr) if match draft.expr(expr).kind {
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
