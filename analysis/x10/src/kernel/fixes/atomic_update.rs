//! A fix for lost updates: the equivalent operation of `CUDAAtomic`.

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};
use crate::ty::known::Known;

/// The literal 1 of a type.
fn literal_one(ty: Known) -> Option<&'static str> {
    Some(match ty {
        Known::Int => "1n",
        Known::Long => "1",
        Known::Float => "1.0f",
        Known::Double => "1.0",
        _ => return None,
    })
}

impl KernelContext<'_> {
    /// `CUDAAtomic.add(rail, index, x)` for the statement `rail(index) += x`, where `x` has the element type.
    pub(crate) fn atomic_update_fix(
        &self,
        store: ExprId,
        (rail, index, value): (LocalId, ExprId, ExprId),
        function: Option<&'static str>,
    ) -> Option<FixTemplate> {
        let function = function?;
        let mut node = Node::Expr(store);
        while let Some(Node::Expr(around)) = self.parents.parent(node) {
            matches!(self.expr(around).kind, ExprKind::Let { .. }).then_some(())?;
            node = Node::Expr(around);
        }
        let Some(Node::Stmt(mut stmt)) = self.parents.parent(node) else { return None };
        // A compound assignment is desugared into a statement within its expression.
        while let Some(Node::Expr(around)) = self.parents.parent(Node::Stmt(stmt)) {
            let Some(Node::Stmt(outer)) = self.parents.parent(Node::Expr(around)) else { return None };
            stmt = outer;
        }
        let StmtKind::Expr(whole) = self.stmt(stmt).kind else { return None };
        let value = self.strip_coercions(value);
        let element = self.expr(value).ty.primitive(self.semantics.db)?;
        let numbers = [Known::Int, Known::UInt, Known::Long, Known::ULong, Known::Float, Known::Double];
        let ExprKind::Call { method, receiver, args, .. } = &self.expr(value).kind else { return None };
        let sign = method.name(self.semantics.db).strip_prefix("operator").map(str::trim);
        let parts: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let own = parts.iter().position(|it| self.is_element(*it, rail, index))?;
        let is_unsigned = matches!(element, Known::UInt | Known::ULong);
        if !numbers.contains(&element) || sign == Some("-") && (own != 0 || is_unsigned) {
            return None;
        }
        let operand = self.source_expr(*parts.get(1 - own)?);
        let is_same_type = self.expr(operand).ty.is_known(self.semantics.db, element);
        let range = self.expr(operand).range;
        let is_written = self.expr(whole).range.contains_range(range) && self.expr(whole).range != range;
        // The 1 of `out(0)++` is not in the source.
        let operand = match (is_written, &self.expr(operand).kind) {
            (true, _) => Fragment::Source(range),
            (false, ExprKind::Literal(_)) => text(literal_one(element)?),
            (false, _) => return None,
        };
        if !is_same_type {
            return None;
        }
        let name = &self.local(self.user_variable(rail)).name;
        let at = self.expr(self.source_expr(index)).range;
        let (open, close) = if sign == Some("-") { ("-(", "))") } else { ("", ")") };
        let call = vec![
            text(format!("CUDAAtomic.{function}({name}, ")),
            Fragment::Source(at),
            text(format!(", {open}")),
            operand,
            text(close),
        ];
        let edits = vec![EditTemplate { range: self.expr(whole).range, text: call }];
        let title = vec![text(format!("Write `CUDAAtomic.{function}`"))];
        Some(FixTemplate::edits(title, edits).with_import("x10.util.CUDAAtomic"))
    }

    /// The source expression behind temporaries and implicit conversions.
    fn source_expr(&self, expr: ExprId) -> ExprId {
        let expr = self.strip_int_conversion(expr);
        match self.expr(expr).kind {
            ExprKind::Local(local) if self.user_named(local).is_none() => {
                self.initialiser(local).map_or(expr, |it| self.strip_int_conversion(it))
            }
            _ => expr,
        }
    }
}
