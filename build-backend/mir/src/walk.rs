//! Visitors of statements and expressions, in the order of evaluation.

use super::*;

super::children!(iter, values, operands);

/// Calls `f` with every statement, outer ones first.
pub fn visit_stmts<'a>(body: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in body {
        f(stmt);
        for inner in bodies(&stmt.kind) {
            visit_stmts(inner, f);
        }
    }
}

/// Whether statements jump to labels anywhere in the function, or are targets of such jumps: passes that
/// follow structured control flow leave them alone.
pub fn has_goto(body: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(body, &mut |it| found |= matches!(it.kind, StmtKind::Goto(_) | StmtKind::Target(_)));
    found
}

/// Whether statements access memory through places: variables, globals and pointers.
pub fn accesses_places(body: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(body, &mut |it| found |= matches!(it.kind, StmtKind::Store { .. }));
    visit_exprs(body, &mut |it, _| {
        found |= match &it.kind {
            ExprKind::Load(_) | ExprKind::AddressOf(_) | ExprKind::CallPointer { .. } => true,
            ExprKind::Atomic { rail, .. } => matches!(rail.ty, Ty::Pointer(_)),
            _ => false,
        };
    });
    found
}

/// Calls `f` with every expression and the expression around it (none for an operand of a statement), outer
/// ones first.
pub fn visit_exprs<'a>(body: &'a [Stmt], f: &mut dyn FnMut(&'a Expr, Option<&'a Expr>)) {
    visit_stmts(body, &mut |stmt| {
        for expr in operands(&stmt.kind) {
            visit_expr(expr, None, f);
        }
    });
}

/// Calls `f` with an expression and all in it.
pub fn visit_expr<'a>(
    expr: &'a Expr,
    parent: Option<&'a Expr>,
    f: &mut dyn FnMut(&'a Expr, Option<&'a Expr>),
) {
    f(expr, parent);
    for inner in children(&expr.kind) {
        visit_expr(inner, Some(expr), f);
    }
}
