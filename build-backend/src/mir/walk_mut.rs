//! The walks of [`super::walk`], for passes that change the program.

use super::*;

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

/// The statement lists in a statement.
pub fn bodies(kind: &mut StmtKind) -> Vec<&mut Vec<Stmt>> {
    match kind {
        StmtKind::Block(body)
        | StmtKind::Labeled { body, .. }
        | StmtKind::Finish { body, .. }
        | StmtKind::Atomic(body) => vec![body],
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::Loop { body, update, .. } => vec![body, update],
        StmtKind::Switch { cases, .. } => cases.iter_mut().map(|(_, body)| body).collect(),
        StmtKind::Try { body, catches, finally } => {
            let mut all = vec![body];
            all.extend(catches.iter_mut().map(|it| &mut it.body));
            all.push(finally);
            all
        }
        StmtKind::When(branches) => {
            branches.iter_mut().flat_map(|it| [&mut it.setup, &mut it.body]).collect()
        }
        _ => Vec::new(),
    }
}

/// The expressions of a statement itself.
pub fn operands(kind: &mut StmtKind) -> Vec<&mut Expr> {
    match kind {
        StmtKind::Set { value, .. }
        | StmtKind::SetStructField { value, .. }
        | StmtKind::SetStatic { value, .. }
        | StmtKind::Expr(value)
        | StmtKind::Throw(value)
        | StmtKind::Return(Some(value))
        | StmtKind::Switch { value, .. } => vec![value],
        StmtKind::SetField { object, value, .. } => vec![object, value],
        StmtKind::SetElement { rail, index, value, .. } => vec![rail, index, value],
        StmtKind::If { condition, .. } | StmtKind::Loop { condition, .. } => vec![condition],
        StmtKind::Async { closure, clocks } => with_clocks(vec![closure], clocks),
        StmtKind::AsyncAt { place, closure, clocks, .. } => with_clocks(vec![place, closure], clocks),
        StmtKind::At { place, closure } => vec![place, closure],
        StmtKind::When(branches) => branches.iter_mut().map(|it| &mut it.condition).collect(),
        StmtKind::Launch { place, captures, detached, .. } => {
            let mut all = vec![place];
            all.extend(captures);
            all.extend(detached);
            all
        }
        _ => Vec::new(),
    }
}

fn with_clocks<'a>(mut all: Vec<&'a mut Expr>, clocks: &'a mut Clocks) -> Vec<&'a mut Expr> {
    if let Clocks::Listed(clocks) = clocks {
        all.extend(clocks);
    }
    all
}

/// The operands of an expression.
pub fn children(kind: &mut ExprKind) -> Vec<&mut Expr> {
    match kind {
        ExprKind::Field { object: value, .. }
        | ExprKind::StructField { value, .. }
        | ExprKind::Length { rail: value, .. }
        | ExprKind::AllocateRail { length: value, .. }
        | ExprKind::NonNull(value)
        | ExprKind::Cast { value, .. }
        | ExprKind::InstanceOf { value, .. } => vec![value],
        ExprKind::Element { rail: a, index: b, .. }
        | ExprKind::At { place: a, closure: b }
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b) => vec![a, b],
        ExprKind::Select { condition, then, otherwise } => vec![condition, then, otherwise],
        ExprKind::Atomic { rail, index, values, .. } => {
            [&mut **rail, &mut **index].into_iter().chain(values).collect()
        }
        ExprKind::MakeStruct(args)
        | ExprKind::Together { args, .. }
        | ExprKind::MakeObject { fields: args, .. }
        | ExprKind::Frame { fields: args, .. }
        | ExprKind::Call { args, .. }
        | ExprKind::CallVirtual { args, .. }
        | ExprKind::CallInterface { args, .. }
        | ExprKind::CallClosure { args, .. }
        | ExprKind::Operation { args, .. }
        | ExprKind::Runtime { args, .. } => args.iter_mut().collect(),
        _ => Vec::new(),
    }
}
