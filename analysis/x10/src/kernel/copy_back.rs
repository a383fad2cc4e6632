//! A fix for a rail of the host that a kernel writes: the kernel gets a `GlobalRail` with its elements, which are copied back afterwards.

use apg_syntax::TextRange;

use super::draft::Draft;
use super::facts::Shape;
use super::repair::{Piece, Repair, RepairEdit, text};
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtKind};

impl Draft<'_> {
    /// Where all that the kernel does with the rail is to read and set elements, and what follows waits for the kernel.
    pub fn through_global_rail(&self, rail: LocalId) -> Option<Repair> {
        let StmtKind::At { place, body, .. } = self.stmt(self.at).kind else { return None };
        let Shape::Rail(element) = self.facts.shape(self.local(rail).ty) else { return None };
        element.primitive(self.facts.db)?;
        let is_stable = match self.expr(self.strip(place)).kind {
            ExprKind::Here => true,
            ExprKind::Local(local) => !self.local(local).mutable,
            _ => false,
        };
        let (anchor, in_block) = self.anchor();
        if !is_stable || !in_block || !self.is_awaited() || self.local(rail).mutable {
            return None;
        }
        let mut uses: Vec<TextRange> = Vec::new();
        let mut only_elements = true;
        self.body.walk(Node::Stmt(body), &mut |node| {
            if let Node::Expr(expr) = node
                && matches!(self.expr(expr).kind, ExprKind::Local(it) if it == rail)
            {
                only_elements &= self.is_of_element(expr);
                let range = self.expr(expr).range;
                if !uses.contains(&range) {
                    uses.push(range);
                }
            }
            only_elements
        });
        if !only_elements {
            return None;
        }
        let name = &self.local(rail).name;
        let there = self.fresh_name(&format!("{name}_there"));
        let anchor = self.stmt(anchor).range;
        let line = || Piece::NewLine(anchor.start());
        let make = vec![
            text(format!("val {there} = CUDAUtilities.makeGlobalRail[{}](", self.facts.show(element))),
            Piece::Source(self.expr(self.strip(place)).range),
            text(format!(", {name}.size, {name});")),
            line(),
        ];
        let back = vec![
            line(),
            text(format!("finish Rail.asyncCopy({there}, 0, {name}, 0, {name}.size);")),
            line(),
            text(format!("CUDAUtilities.deleteGlobalRail({there});")),
        ];
        let mut edits = vec![
            RepairEdit { range: TextRange::empty(anchor.start()), text: make },
            RepairEdit { range: TextRange::empty(anchor.end()), text: back },
        ];
        edits.extend(uses.into_iter().map(|range| RepairEdit { range, text: vec![text(there.as_str())] }));
        let title = vec![text(format!("Use a `GlobalRail`, and copy it back to `{name}`"))];
        Some(Repair::edits(title, edits).importing("x10.util.CUDAUtilities"))
    }

    /// Whether an element of the rail is read or set there, or its size is asked for.
    fn is_of_element(&self, rail: ExprId) -> bool {
        match self.parents.parent(Node::Expr(rail)) {
            Some(Node::Expr(around)) => match &self.expr(around).kind {
                ExprKind::Coerce { .. } => self.is_of_element(around),
                ExprKind::Call { receiver: Some(it), method, .. } => {
                    *it == rail && method.name(self.facts.db).starts_with("operator()")
                }
                ExprKind::Field { field, .. } => field.name(self.facts.db) == "size",
                _ => false,
            },
            // A compound assignment keeps the rail in a temporary.
            Some(Node::Stmt(stmt)) => {
                matches!(self.stmt(stmt).kind, StmtKind::Let { local, .. } if self.named(local).is_none())
            }
            None => false,
        }
    }
}
