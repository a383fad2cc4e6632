//! A fix for blocks and threads that count from another number than 0: they count from 0, and the start is added where the index is used.

use apg_syntax::TextRange;

use super::draft::Draft;
use super::repair::{Piece, Repair, RepairEdit, text};
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, Literal, LocalId, StmtId, StmtKind};
use crate::ty::known::Known;

impl Draft<'_> {
    /// `0n..(high - low)`, and `(i + low)` for `i`, where `low` is a literal or a `val` that is declared outside.
    pub fn counted_from_zero(&self, (low, high): (ExprId, ExprId), axis: usize) -> Option<Repair> {
        let (index, body) = self.loop_around(low, axis)?;
        let (first, last) = (self.unconverted(low), self.unconverted(high));
        let is_int = |it: ExprId| self.expr(it).ty.is_known(self.facts.db, Known::Int);
        let is_fixed = match self.expr(first).kind {
            ExprKind::Literal(Literal::Int(_)) => true,
            ExprKind::Local(local) => !self.local(local).mutable && !self.inner.contains(&local),
            _ => false,
        };
        if !is_fixed || !is_int(first) || !is_int(last) {
            return None;
        }
        let start = self.expr(first).range;
        let mut edits = vec![RepairEdit { range: start, text: vec![text("0n")] }];
        edits.extend(self.less(first, last)?);
        let mut uses: Vec<TextRange> = Vec::new();
        self.body.walk(Node::Stmt(body), &mut |node| {
            if let Node::Expr(expr) = node
                && matches!(self.expr(expr).kind, ExprKind::Local(it) if Some(it) == index)
                && !uses.contains(&self.expr(expr).range)
            {
                uses.push(self.expr(expr).range);
            }
            true
        });
        edits.extend(uses.into_iter().map(|range| RepairEdit {
            range,
            text: vec![text("("), Piece::Source(range), text(" + "), Piece::Source(start), text(")")],
        }));
        Some(Repair::edits(vec![text("Count from `0n`")], edits))
    }

    /// The variable of an axis of the loop whose range has this end, and the body of the loop.
    fn loop_around(&self, low: ExprId, axis: usize) -> Option<(Option<LocalId>, StmtId)> {
        self.parents.ancestors(Node::Expr(low)).find_map(|node| match node {
            Node::Stmt(stmt) => match &self.stmt(stmt).kind {
                StmtKind::ForIn { local, components, body, .. } => {
                    let named = if components.is_empty() { Some(local) } else { components.get(axis) };
                    Some((named.and_then(|it| self.named(*it)), *body))
                }
                _ => None,
            },
            Node::Expr(_) => None,
        })
    }

    /// The edits that make `last` the difference of both.
    fn less(&self, first: ExprId, last: ExprId) -> Option<Vec<RepairEdit>> {
        let range = self.expr(last).range;
        let (first, start) = (&self.expr(first).kind, self.expr(first).range);
        if let (ExprKind::Literal(Literal::Int(from)), ExprKind::Literal(Literal::Int(to))) =
            (first, &self.expr(last).kind)
        {
            let count = to.checked_sub(*from).filter(|it| *it >= 0)?;
            return Some(vec![RepairEdit { range, text: vec![text(format!("{count}n"))] }]);
        }
        let edit = |at, pieces| RepairEdit { range: TextRange::empty(at), text: pieces };
        Some(vec![
            edit(range.start(), vec![text("((")]),
            edit(range.end(), vec![text(") - "), Piece::Source(start), text(")")]),
        ])
    }
}
