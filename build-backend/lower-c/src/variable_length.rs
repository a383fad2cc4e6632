//! Arrays whose rows have a length that is not a constant (C17 6.7.6.2): a row is reached by the address of
//! its first element.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{ExprId, ExprKind, Length, Program, Type, VariableId};
use apg_c_syntax::TextRange;
use apg_mir::{Expr, Operation, Ty};

use crate::body::{Body, binary, operation};
use crate::changes::is_changed;
use crate::unsupported::{Lowered, unsupported};

/// Whether objects of a type are rows whose length is not a constant.
pub(crate) fn is_row(ty: &Type) -> bool {
    matches!(ty, Type::Array(_, Length::Variable(_)))
}

/// The lengths of the rows that a variable leads to.
fn row_lengths(ty: &Type) -> Vec<ExprId> {
    let (mut inner, mut found) = (ty.element(), Vec::new());
    while let Some(Type::Array(element, Length::Variable(length))) = inner {
        found.push(*length);
        inner = Some(element);
    }
    found
}

/// The variables in the lengths of the rows that a variable leads to.
pub(crate) fn length_variables(hir: &Program, ty: &Type) -> Vec<VariableId> {
    let mut found = Vec::new();
    for length in row_lengths(ty) {
        hir.walk_expr(length, &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Variable(variable) = hir.expr(id).kind
            {
                found.push(variable);
            }
            true
        });
    }
    found
}

impl Body<'_, '_> {
    /// The address of the first element of a row.
    pub(crate) fn row_address(&mut self, id: ExprId, range: TextRange) -> Lowered<Expr> {
        let hir = self.unit.hir;
        match &hir.expr(id).kind {
            ExprKind::Dereference(pointer) => self.value(*pointer),
            ExprKind::Index(base, index) => {
                let pointer = self.value(*base)?;
                let index = self.value(*index)?;
                let mut count = self.convert_to(index, Ty::I64, range)?;
                let mut row = Some(&hir.expr(id).ty);
                while let Some(Type::Array(element, Length::Variable(length))) = row {
                    let length = self.row_length(*length, range)?;
                    count = binary(Ty::I64, Operation::Mul, count, length);
                    row = Some(element);
                }
                Ok(operation(pointer.ty, Operation::Offset, vec![pointer, count]))
            }
            _ => unsupported(range, "this row of an array has no device form", "index the array"),
        }
    }

    /// The length of a row: what the expression in its declaration was then, if nothing has changed since.
    fn row_length(&mut self, length: ExprId, range: TextRange) -> Lowered<Expr> {
        let hir = self.unit.hir;
        let mut changed = None;
        hir.walk_expr(length, &mut |node| {
            let Node::Expr(id) = node else { return true };
            match hir.expr(id).kind {
                ExprKind::Variable(it) => {
                    let of = hir.variable(it);
                    let body = of.function.and_then(|it| hir.function(it).body);
                    if body.is_none_or(|body| is_changed(hir, body, it)) && !of.is_const {
                        changed = Some(of.name.clone());
                    }
                }
                ExprKind::Integer(_) | ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(_) => {}
                _ => changed = Some("the length".into()),
            }
            true
        });
        if let Some(name) = changed {
            let message = format!("the length of these rows may have changed since, with `{name}`");
            return unsupported(range, message, "declare the array by a length that stays as it is");
        }
        let value = self.value(length)?;
        self.convert_to(value, Ty::I64, range)
    }
}
