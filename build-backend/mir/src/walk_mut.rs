//! Mutable visitors, for passes that change the program.

use super::*;

super::children!(iter_mut, values_mut, operands_mut, mut);

/// Calls `f` with every statement list, inner ones first.
pub fn edit_bodies(body: &mut Vec<Stmt>, f: &mut dyn FnMut(&mut Vec<Stmt>)) {
    for stmt in body.iter_mut() {
        for inner in bodies(&mut stmt.kind) {
            edit_bodies(inner, f);
        }
    }
    f(body);
}

/// Calls `f` with every statement, outer ones first.
pub fn edit_stmts(body: &mut [Stmt], f: &mut dyn FnMut(&mut Stmt)) {
    for stmt in body {
        f(stmt);
        for inner in bodies(&mut stmt.kind) {
            edit_stmts(inner, f);
        }
    }
}

/// Calls `f` with every expression, operands first.
pub fn edit_exprs(body: &mut [Stmt], f: &mut dyn FnMut(&mut Expr)) {
    edit_stmts(body, &mut |stmt| {
        for expr in operands(&mut stmt.kind) {
            edit_expr(expr, f);
        }
    });
}

/// Calls `f` with all in an expression and then with itself.
pub fn edit_expr(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    for inner in children(&mut expr.kind) {
        edit_expr(inner, f);
    }
    f(expr);
}

/// Calls `f` with every place, and with those that it is a part of.
pub fn edit_places(body: &mut [Stmt], f: &mut dyn FnMut(&mut Place)) {
    edit_stmts(body, &mut |stmt| {
        if let StmtKind::Store { place, .. } = &mut stmt.kind {
            edit_place(place, f);
        }
    });
    edit_exprs(body, &mut |expr| {
        if let ExprKind::Load(place) | ExprKind::AddressOf(place) = &mut expr.kind {
            edit_place(place, f);
        }
    });
}

fn edit_place(place: &mut Place, f: &mut dyn FnMut(&mut Place)) {
    if let PlaceKind::Field { base, .. } | PlaceKind::Index { base, .. } = &mut place.kind {
        edit_place(base, f);
    }
    f(place);
}
