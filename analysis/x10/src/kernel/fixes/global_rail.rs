//! A fix for writes to captured host rails: passes a `GlobalRail` with its elements, and copies it back
//! afterwards.

use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::TypeCategory;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};

impl KernelContext<'_> {
    /// The fix, if the kernel only reads and writes elements of the rail, and the code after it waits for the
    /// kernel.
    pub(crate) fn global_rail_fix(&self, rail: LocalId) -> Option<FixTemplate> {
        let StmtKind::At { place, body, .. } = self.stmt(self.at).kind else { return None };
        let TypeCategory::Rail(element) = self.semantics.category(self.local(rail).ty) else { return None };
        element.primitive(self.semantics.db)?;
        let is_stable = match self.expr(self.strip_coercions(place)).kind {
            ExprKind::Here => true,
            ExprKind::Local(local) => !self.local(local).mutable,
            _ => false,
        };
        let (anchor, in_block) = self.insertion_anchor();
        if !is_stable || !in_block || !self.completes_before_next_statement() || self.local(rail).mutable {
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
        let line = || Fragment::NewLine(anchor.start());
        let make = vec![
            text(format!("val {there} = CUDAUtilities.makeGlobalRail[{}](", self.semantics.display(element))),
            Fragment::Source(self.expr(self.strip_coercions(place)).range),
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
            EditTemplate { range: TextRange::empty(anchor.start()), text: make },
            EditTemplate { range: TextRange::empty(anchor.end()), text: back },
        ];
        edits.extend(uses.into_iter().map(|range| EditTemplate { range, text: vec![text(there.as_str())] }));
        let title = vec![text(format!("Use a `GlobalRail`, and copy it back to `{name}`"))];
        Some(FixTemplate::edits(title, edits).with_import("x10.util.CUDAUtilities"))
    }

    /// Whether a use of the rail accesses an element or its size.
    fn is_of_element(&self, rail: ExprId) -> bool {
        match self.parents.parent(Node::Expr(rail)) {
            Some(Node::Expr(around)) => match &self.expr(around).kind {
                ExprKind::Coerce { .. } => self.is_of_element(around),
                ExprKind::Call { receiver: Some(it), method, .. } => {
                    *it == rail && method.name(self.semantics.db).starts_with("operator()")
                }
                ExprKind::Field { field, .. } => field.name(self.semantics.db) == "size",
                _ => false,
            },
            // A compound assignment keeps the rail in a temporary.
            Some(Node::Stmt(stmt)) => {
                matches!(self.stmt(stmt).kind, StmtKind::Let { local, .. } if self.user_named(local).is_none())
            }
            None => false,
        }
    }
}
