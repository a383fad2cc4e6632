//! Side effects on named objects (C17 5.1.2.3).

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Directive, ExprId, ExprKind, Program, StmtId, Type, VariableId};

/// Whether all that a file does with a variable is to read numbers of it: its address goes nowhere.
pub(crate) fn is_read_only_by_value(hir: &Program, variable: VariableId) -> bool {
    let (mut named, mut read) = (0, 0);
    for expr in &hir.exprs {
        match &expr.kind {
            ExprKind::AddressOf(of) if part_of(hir, *of) == Some(variable) => return false,
            ExprKind::Variable(it) if *it == variable => {
                named += 1;
                read += u32::from(expr.ty.is_arithmetic());
            }
            ExprKind::Index(base, _) | ExprKind::Member { base, is_arrow: false, .. } => {
                read += u32::from(expr.ty.is_arithmetic() && part_of(hir, *base) == Some(variable));
            }
            _ => {}
        }
    }
    named == read
}

/// The variable that an lvalue is a part of, if it is not behind a pointer.
pub(crate) fn part_of(hir: &Program, expr: ExprId) -> Option<VariableId> {
    match &hir.expr(expr).kind {
        ExprKind::Variable(it) => Some(*it),
        ExprKind::Index(base, _) if matches!(hir.expr(*base).ty, Type::Array(..)) => part_of(hir, *base),
        ExprKind::Member { base, is_arrow: false, .. } => part_of(hir, *base),
        _ => None,
    }
}

/// Whether a statement changes a variable, or may do so through its address.
pub(crate) fn is_changed(hir: &Program, stmt: StmtId, variable: VariableId) -> bool {
    is_changed_outside_of(hir, stmt, variable, |_| false)
}

/// Whether a statement changes a variable, or may do so through its address, other than inside of certain
/// directives.
pub(crate) fn is_changed_outside_of(
    hir: &Program,
    stmt: StmtId,
    variable: VariableId,
    is_left_out: impl Fn(&Directive) -> bool,
) -> bool {
    let mut found = false;
    hir.walk_stmt(stmt, &mut |node| {
        let id = match node {
            Node::Expr(id) => id,
            Node::Directive(id) => return !is_left_out(hir.directive(id)),
            Node::Stmt(_) => return true,
        };
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
