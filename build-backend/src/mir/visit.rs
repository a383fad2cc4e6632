//! Walking over MIR.

use super::*;

/// Calls `visit` for every expression in the statements, outer ones first.
pub fn walk_stmts(stmts: &[Stmt], visit: &mut dyn FnMut(&Expr)) {
    for stmt in stmts {
        walk_stmt(&stmt.kind, visit);
    }
}

fn walk_stmt(kind: &StmtKind, visit: &mut dyn FnMut(&Expr)) {
    match kind {
        StmtKind::Set { value, .. }
        | StmtKind::SetStructField { value, .. }
        | StmtKind::SetStatic { value, .. }
        | StmtKind::Expr(value)
        | StmtKind::Throw(value) => walk(value, visit),
        StmtKind::SetField { object, value, .. } => {
            [object, value].into_iter().for_each(|it| walk(it, visit))
        }
        StmtKind::SetElement { rail, index, value, .. } => {
            [rail, index, value].into_iter().for_each(|it| walk(it, visit));
        }
        StmtKind::Block(body) | StmtKind::Labeled { body, .. } | StmtKind::Atomic(body) => {
            walk_stmts(body, visit)
        }
        StmtKind::Finish { body, .. } => walk_stmts(body, visit),
        StmtKind::If { condition, then, otherwise } => {
            walk(condition, visit);
            walk_stmts(then, visit);
            walk_stmts(otherwise, visit);
        }
        StmtKind::Loop { condition, body, update, .. } => {
            walk(condition, visit);
            walk_stmts(body, visit);
            walk_stmts(update, visit);
        }
        StmtKind::Switch { value, cases, .. } => {
            walk(value, visit);
            cases.iter().for_each(|it| walk_stmts(&it.1, visit));
        }
        StmtKind::Return(value) => value.iter().for_each(|it| walk(it, visit)),
        StmtKind::Try { body, catches, finally } => {
            walk_stmts(body, visit);
            catches.iter().for_each(|it| walk_stmts(&it.body, visit));
            walk_stmts(finally, visit);
        }
        StmtKind::Async { closure, clocks } => {
            walk(closure, visit);
            walk_clocks(clocks, visit);
        }
        StmtKind::AsyncAt { place, closure, clocks } => {
            walk(place, visit);
            walk(closure, visit);
            walk_clocks(clocks, visit);
        }
        StmtKind::At { place, closure } => [place, closure].into_iter().for_each(|it| walk(it, visit)),
        StmtKind::When(branches) => {
            for branch in branches {
                walk_stmts(&branch.setup, visit);
                walk(&branch.condition, visit);
                walk_stmts(&branch.body, visit);
            }
        }
        StmtKind::Launch { place, captures, .. } => {
            walk(place, visit);
            captures.iter().for_each(|it| walk(it, visit));
        }
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Barrier => {}
    }
}

fn walk_clocks(clocks: &Clocks, visit: &mut dyn FnMut(&Expr)) {
    if let Clocks::Listed(list) = clocks {
        list.iter().for_each(|it| walk(it, visit));
    }
}

/// Calls `visit` for `expr` and everything in it, outer ones first.
pub fn walk(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    for child in children(expr) {
        walk(child, visit);
    }
}

/// The operands of an expression, in evaluation order.
pub fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::String(_)
        | ExprKind::Null
        | ExprKind::Zero
        | ExprKind::Local(_)
        | ExprKind::Static(_)
        | ExprKind::Allocate(_)
        | ExprKind::Here => Vec::new(),
        ExprKind::Field { object: value, .. }
        | ExprKind::StructField { value, .. }
        | ExprKind::Length { rail: value, .. }
        | ExprKind::AllocateRail { length: value, .. }
        | ExprKind::NonNull(value)
        | ExprKind::Cast { value, .. }
        | ExprKind::InstanceOf { value, .. } => vec![value],
        ExprKind::Element { rail, index, .. } => vec![rail, index],
        ExprKind::At { place, closure } => vec![place, closure],
        ExprKind::And(left, right) | ExprKind::Or(left, right) => vec![left, right],
        ExprKind::Select { condition, then, otherwise } => vec![condition, then, otherwise],
        ExprKind::MakeStruct(args)
        | ExprKind::MakeObject { fields: args, .. }
        | ExprKind::Call { args, .. }
        | ExprKind::CallVirtual { args, .. }
        | ExprKind::CallInterface { args, .. }
        | ExprKind::CallClosure { args, .. }
        | ExprKind::Operation { args, .. }
        | ExprKind::Runtime { args, .. } => args.iter().collect(),
    }
}
