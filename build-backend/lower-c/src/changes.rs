//! Side effects on named objects (C17 5.1.2.3).

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{ExprKind, Program, StmtId, VariableId};

/// Whether a statement changes a variable, or may do so through its address.
pub(crate) fn is_changed(hir: &Program, stmt: StmtId, variable: VariableId) -> bool {
    let mut found = false;
    hir.walk_stmt(stmt, &mut |node| {
        let Node::Expr(id) = node else { return true };
        found |= match hir.expr(id).kind {
            ExprKind::Assign(_, target, _)
            | ExprKind::Increment { target, .. }
            | ExprKind::AddressOf(target) => hir.base_variable(target) == Some(variable),
            _ => false,
        };
        true
    });
    found
}
