//! Fixes that move what stands between the blocks and the threads of a kernel to where it belongs.

use apg_syntax::{TextRange, TextSize};

use super::draft::Draft;
use super::repair::{Piece, Repair, RepairEdit, text};
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtId, StmtKind};

impl Draft<'_> {
    /// Moves a value of a block before the `at`, if it is the same there and for all blocks, else into the threads.
    pub fn to_where_it_is_computed(&self, stmt: StmtId, local: LocalId, init: ExprId) -> Option<Repair> {
        if self.local(local).mutable || self.uses_inner(init) {
            return self.moved_into_threads(stmt, local);
        }
        self.is_same_outside(init).then(|| self.move_out(stmt, false))?
    }

    /// Whether an expression has the same value before the `at`: numbers and what is computed of them, no objects and no places.
    fn is_same_outside(&self, expr: ExprId) -> bool {
        let mut same = true;
        self.body.walk(Node::Expr(expr), &mut |node| {
            same &= match node {
                Node::Expr(part) => match &self.expr(part).kind {
                    ExprKind::Literal(_) | ExprKind::Local(_) | ExprKind::Coerce { .. } => true,
                    ExprKind::Cast { .. } | ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. } => {
                        true
                    }
                    ExprKind::Equal { .. } | ExprKind::Field { .. } | ExprKind::StaticField(_) => true,
                    ExprKind::Call { method, .. } => {
                        self.facts.is_class(method.class(self.facts.db), "x10.lang.Math")
                            || method.name(self.facts.db).starts_with("operator")
                                && self.expr(part).ty.primitive(self.facts.db).is_some()
                    }
                    _ => false,
                },
                Node::Stmt(_) => false,
            };
            same
        });
        same
    }

    /// Moves a value of a block to the start of what each thread does, where nothing else needs it.
    fn moved_into_threads(&self, stmt: StmtId, local: LocalId) -> Option<Repair> {
        let behind = self.stmt(stmt).range.end();
        let threads = self.first_activity(behind)?;
        let range = self.stmt(threads).range;
        let mut only_there = true;
        self.walk_kernel(&mut |node| {
            if let Node::Expr(expr) = node
                && matches!(self.expr(expr).kind, ExprKind::Local(used) if used == local)
            {
                only_there &= range.contains_range(self.expr(expr).range);
            }
        })?;
        let StmtKind::Async { body, .. } = self.stmt(threads).kind else { return None };
        let is_block = matches!(self.stmt(body).kind, StmtKind::Block(_));
        let first = self.statements(body).first().copied().filter(|_| is_block && only_there)?;
        let to = self.stmt(first).range.start();
        let title = "Compute it in each thread";
        if self.shares_its_declaration(first) {
            // Of `val x = 1, y = 2` the first statement is `x = 1`: behind the brace, then.
            let brace = self.stmt(body).range.start() + TextSize::of('{');
            let pieces = vec![Piece::NewLine(to), Piece::Source(self.stmt(stmt).range)];
            return self.moved_as(stmt, RepairEdit { range: TextRange::empty(brace), text: pieces }, title);
        }
        self.moved(stmt, to, title)
    }

    /// Moves a rail that stands before the blocks or behind the threads before the threads of each block, if all that it is made of is there.
    pub fn moved_into_block(&self, stmt: StmtId, title: &str) -> Option<Repair> {
        let StmtKind::Async { body, .. } = self.stmt(self.first_activity(TextSize::new(0))?).kind else {
            return None;
        };
        let waits = |stmt: &StmtId| matches!(self.stmt(*stmt).kind, StmtKind::Finish { .. });
        let to = self.stmt(self.statements(body).into_iter().find(waits)?).range.start();
        let mut known = matches!(self.stmt(body).kind, StmtKind::Block(_));
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Local(used) = self.expr(expr).kind
                && self.inner.contains(&used)
            {
                known &= self.local(used).range.end() <= to;
            }
            known
        });
        if !known {
            return None;
        }
        self.moved(stmt, to, title)
    }

    /// The first `async` of the kernel from there on.
    fn first_activity(&self, from: TextSize) -> Option<StmtId> {
        let mut first = None;
        self.walk_kernel(&mut |node| {
            if let Node::Stmt(stmt) = node
                && matches!(self.stmt(stmt).kind, StmtKind::Async { .. })
                && self.stmt(stmt).range.start() >= from
                && first.is_none_or(|other| self.stmt(stmt).range.start() < self.stmt(other).range.start())
            {
                first = Some(stmt);
            }
        })?;
        first
    }

    /// Visits all of the kernel.
    fn walk_kernel(&self, visit: &mut dyn FnMut(Node)) -> Option<()> {
        let StmtKind::At { body, .. } = self.stmt(self.at).kind else { return None };
        self.body.walk(Node::Stmt(body), &mut |node| {
            visit(node);
            true
        });
        Some(())
    }

    /// Moves a statement before what begins there.
    fn moved(&self, stmt: StmtId, to: TextSize, title: &str) -> Option<Repair> {
        let pieces = vec![Piece::Source(self.stmt(stmt).range), Piece::NewLine(to)];
        self.moved_as(stmt, RepairEdit { range: TextRange::empty(to), text: pieces }, title)
    }

    fn moved_as(&self, stmt: StmtId, insertion: RepairEdit, title: &str) -> Option<Repair> {
        let range = self.stmt(stmt).range;
        if self.shares_its_declaration(stmt) || range.contains_inclusive(insertion.range.start()) {
            return None;
        }
        let removal = RepairEdit { range, text: Vec::new() };
        Some(Repair::edits(vec![text(title)], vec![removal, insertion]))
    }
}
