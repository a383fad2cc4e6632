//! Walks over statements and expressions, each in the order of evaluation.

use super::*;

/// Calls `f` with every statement, outer ones first.
pub fn visit_stmts<'a>(body: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in body {
        f(stmt);
        for inner in bodies(&stmt.kind) {
            visit_stmts(inner, f);
        }
    }
}

/// Calls `f` with every expression and the expression around it (none for an operand of a statement), outer ones first.
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

/// The statement lists in a statement.
pub fn bodies(kind: &StmtKind) -> Vec<&[Stmt]> {
    match kind {
        StmtKind::Block(body)
        | StmtKind::Labeled { body, .. }
        | StmtKind::Finish { body, .. }
        | StmtKind::Atomic(body) => vec![body],
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::Loop { body, update, .. } => vec![body, update],
        StmtKind::Switch { cases, .. } => cases.iter().map(|(_, body)| body.as_slice()).collect(),
        StmtKind::Try { body, catches, finally } => {
            let mut all = vec![body.as_slice()];
            all.extend(catches.iter().map(|it| it.body.as_slice()));
            all.push(finally);
            all
        }
        StmtKind::When(branches) => {
            branches.iter().flat_map(|it| [it.setup.as_slice(), it.body.as_slice()]).collect()
        }
        _ => Vec::new(),
    }
}

/// The expressions of a statement itself.
pub fn operands(kind: &StmtKind) -> Vec<&Expr> {
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
        StmtKind::When(branches) => branches.iter().map(|it| &it.condition).collect(),
        StmtKind::Native(native) => native.values().collect(),
        StmtKind::Launch { place, captures, detached, .. } => {
            let mut all = vec![place];
            all.extend(captures);
            all.extend(detached);
            all
        }
        _ => Vec::new(),
    }
}

fn with_clocks<'a>(mut all: Vec<&'a Expr>, clocks: &'a Clocks) -> Vec<&'a Expr> {
    if let Clocks::Listed(clocks) = clocks {
        all.extend(clocks);
    }
    all
}

/// The operands of an expression.
pub fn children(kind: &ExprKind) -> Vec<&Expr> {
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
            [&**rail, &**index].into_iter().chain(values).collect()
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
        | ExprKind::Runtime { args, .. } => args.iter().collect(),
        _ => Vec::new(),
    }
}
