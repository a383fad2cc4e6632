//! A fix for axes with a non-zero start: counts from 0, and adds the start where the index is used.

use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, Literal, LocalId, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};
use crate::ty::known::Known;

impl KernelContext<'_> {
    /// `0n..(high - low)`, and `(i + low)` for `i`, where `low` is a literal or a `val` declared outside.
    pub(crate) fn count_from_zero_fix(
        &self,
        (low, high): (ExprId, ExprId),
        axis: usize,
    ) -> Option<FixTemplate> {
        let (index, body) = self.loop_around(low, axis)?;
        let (first, last) = (self.strip_int_conversion(low), self.strip_int_conversion(high));
        let is_int = |it: ExprId| self.expr(it).ty.is_known(self.semantics.db, Known::Int);
        let is_fixed = match self.expr(first).kind {
            ExprKind::Literal(Literal::Int(_)) => true,
            ExprKind::Local(local) => !self.local(local).mutable && !self.inner.contains(&local),
            _ => false,
        };
        if !is_fixed || !is_int(first) || !is_int(last) {
            return None;
        }
        let start = self.expr(first).range;
        let mut edits = vec![EditTemplate { range: start, text: vec![text("0n")] }];
        edits.extend(self.difference_edits(first, last)?);
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
        edits.extend(uses.into_iter().map(|range| EditTemplate {
            range,
            text: vec![text("("), Fragment::Source(range), text(" + "), Fragment::Source(start), text(")")],
        }));
        Some(FixTemplate::edits(vec![text("Count from `0n`")], edits))
    }

    /// The index variable and body of the loop whose range has this bound.
    fn loop_around(&self, low: ExprId, axis: usize) -> Option<(Option<LocalId>, StmtId)> {
        self.parents.ancestors(Node::Expr(low)).find_map(|node| match node {
            Node::Stmt(stmt) => match &self.stmt(stmt).kind {
                StmtKind::ForIn { local, components, body, .. } => {
                    let named = if components.is_empty() { Some(local) } else { components.get(axis) };
                    Some((named.and_then(|it| self.user_named(*it)), *body))
                }
                _ => None,
            },
            Node::Expr(_) => None,
        })
    }

    /// The edits that replace `last` by the difference of both.
    fn difference_edits(&self, first: ExprId, last: ExprId) -> Option<Vec<EditTemplate>> {
        let range = self.expr(last).range;
        let (first, start) = (&self.expr(first).kind, self.expr(first).range);
        if let (ExprKind::Literal(Literal::Int(from)), ExprKind::Literal(Literal::Int(to))) =
            (first, &self.expr(last).kind)
        {
            let count = to.checked_sub(*from).filter(|it| *it >= 0)?;
            return Some(vec![EditTemplate { range, text: vec![text(format!("{count}n"))] }]);
        }
        let edit = |at, fragments| EditTemplate { range: TextRange::empty(at), text: fragments };
        Some(vec![
            edit(range.start(), vec![text("((")]),
            edit(range.end(), vec![text(") - "), Fragment::Source(start), text(")")]),
        ])
    }
}
