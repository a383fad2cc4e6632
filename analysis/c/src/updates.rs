//! Updates of one object, `x++`, `x += value` and `x = x + value` (OpenMP 5.2, section 15.8.4), and equality
//! of expressions by their form.

use crate::hir::{BinaryOp, ExprId, ExprKind, Program, StmtId, StmtKind};

fn may_update(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Subtract | Multiply | Divide | BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight)
}

/// Whether two expressions are the same, by their form.
pub fn is_same(program: &Program, a: ExprId, b: ExprId) -> bool {
    let (a, b) = (&program.expr(a).kind, &program.expr(b).kind);
    match (a, b) {
        (ExprKind::Variable(a), ExprKind::Variable(b)) => a == b,
        (ExprKind::Integer(a), ExprKind::Integer(b)) => a == b,
        (ExprKind::Float(a), ExprKind::Float(b)) => a == b,
        (ExprKind::Index(a, i), ExprKind::Index(b, j)) => {
            is_same(program, *a, *b) && is_same(program, *i, *j)
        }
        (ExprKind::Dereference(a), ExprKind::Dereference(b))
        | (ExprKind::AddressOf(a), ExprKind::AddressOf(b))
        | (ExprKind::Cast(a), ExprKind::Cast(b)) => is_same(program, *a, *b),
        (
            ExprKind::Member { base: a, field: f, is_arrow: x },
            ExprKind::Member { base: b, field: g, is_arrow: y },
        ) => f == g && x == y && is_same(program, *a, *b),
        (ExprKind::Binary(o, a, b), ExprKind::Binary(p, c, d)) => {
            o == p && is_same(program, *a, *c) && is_same(program, *b, *d)
        }
        (ExprKind::Unary(o, a), ExprKind::Unary(p, b)) => o == p && is_same(program, *a, *b),
        _ => false,
    }
}

/// The target of an update that can be atomic, and its operator.
pub fn update(program: &Program, expr: ExprId) -> Option<(ExprId, BinaryOp)> {
    match program.expr(expr).kind {
        ExprKind::Increment { target, is_decrement, .. } => {
            Some((target, if is_decrement { BinaryOp::Subtract } else { BinaryOp::Add }))
        }
        ExprKind::Assign(Some(op), target, _) if may_update(op) => Some((target, op)),
        ExprKind::Assign(None, target, value) => {
            let (op, other) = first_or_last_operand(program, value, target)?;
            (may_update(op) && other).then_some((target, op))
        }
        _ => None,
    }
}

/// The target of an atomic exchange, `{ v = x; x = value; }` (OpenMP 5.2, section 15.8.4).
pub fn exchanged(program: &Program, body: StmtId) -> Option<ExprId> {
    let StmtKind::Block(stmts) = &program.stmt(body).kind else { return None };
    let assigned = |stmt: StmtId| match program.stmt(stmt).kind {
        StmtKind::Expr(expr) => match program.expr(expr).kind {
            ExprKind::Assign(None, target, value) => Some((target, value)),
            _ => None,
        },
        _ => None,
    };
    let [read, written] = stmts[..] else { return None };
    let ((_, read), (target, _)) = (assigned(read)?, assigned(written)?);
    is_same(program, read, target).then_some(target)
}

/// The operator by which `target` is the first or last operand of a value: `x + a - b`, `a * x`.
fn first_or_last_operand(program: &Program, value: ExprId, target: ExprId) -> Option<(BinaryOp, bool)> {
    let ExprKind::Binary(op, left, right) = program.expr(value).kind else { return None };
    if is_same(program, left, target) || is_same(program, right, target) {
        return Some((op, true));
    }
    first_or_last_operand(program, left, target)
}
