//! Limits of loop unrolling (`@Unroll(n)`).
//!
//! Factors of nested loops multiply, so that a short program could become millions of instructions. The
//! factor of a loop is limited by the size of the unrolled code and by the trip count.

use rustc_hash::FxHashMap;

use apg_mir::walk::{self, visit_expr};
use apg_mir::walk_mut::{bodies, operands};
use apg_mir::{Expr, ExprKind, LocalId, Operation, Program, Stmt, StmtKind};

/// Size of the largest unrolled loop. (A thousand copies of `sum += a(i) * b(i)` are 12,000 expressions.)
const MAX_UNROLLED_EXPRESSIONS: usize = 32_768;

/// Locals whose values are constants.
type KnownConstants = FxHashMap<LocalId, i64>;

/// Reduces unrolling factors that exceed the limits, inner loops first.
pub(crate) fn limit_unrolling(program: &mut Program) {
    for function in &mut program.functions {
        limit_body(&mut function.body, &mut KnownConstants::default());
    }
    for kernel in &mut program.kernels {
        limit_body(&mut kernel.body, &mut KnownConstants::default());
    }
}

/// Limits the loops of a body. Returns its size after unrolling, in expressions.
fn limit_body(body: &mut [Stmt], constants: &mut KnownConstants) -> usize {
    let mut all = 0;
    for stmt in body {
        let mut size = 1;
        for operand in operands(&mut stmt.kind) {
            visit_expr(operand, None, &mut |_, _| size += 1);
        }
        let count = trip_count(&stmt.kind, constants);
        if matches!(stmt.kind, StmtKind::Loop { .. }) {
            forget_assigned(&stmt.kind, constants);
        }
        size += limit_inner(bodies(&mut stmt.kind), constants);
        forget_assigned(&stmt.kind, constants);
        if let StmtKind::Set { local, value: Expr { kind: ExprKind::Int(value), .. } } = &stmt.kind {
            constants.insert(*local, *value);
        }
        if let StmtKind::Loop { unroll: Some(factor), .. } = &mut stmt.kind {
            // A factor of 1 means no unrolling. Some compilers reject 0.
            let max_factor = (MAX_UNROLLED_EXPRESSIONS / size).min(count.unwrap_or(usize::MAX)).max(1);
            *factor = (*factor as usize).clamp(1, max_factor) as u32;
            size *= *factor as usize;
        }
        all += size;
    }
    all
}

/// Limits the bodies of a statement. Each is entered with the same constants.
fn limit_inner(mut inner: Vec<&mut Vec<Stmt>>, constants: &mut KnownConstants) -> usize {
    inner.retain(|it| !it.is_empty());
    match inner.as_mut_slice() {
        [] => 0,
        [only] => limit_body(only, constants),
        several => several.iter_mut().map(|it| limit_body(it, &mut constants.clone())).sum(),
    }
}

fn forget_assigned_in(body: &[Stmt], constants: &mut KnownConstants) {
    if !constants.is_empty() {
        body.iter().for_each(|it| forget_assigned(&it.kind, constants));
    }
}

/// Removes locals that a statement assigns.
fn forget_assigned(kind: &StmtKind, constants: &mut KnownConstants) {
    if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = kind {
        constants.remove(local);
    }
    for inner in walk::bodies(kind) {
        forget_assigned_in(inner, constants);
    }
}

/// The trip count of a loop that counts between constants.
fn trip_count(kind: &StmtKind, constants: &KnownConstants) -> Option<usize> {
    let StmtKind::Loop { condition, body, update, post_tested, unroll: Some(_), .. } = kind else {
        return None;
    };
    let ExprKind::Operation { operation, args } = &condition.kind else { return None };
    let [Expr { kind: ExprKind::Local(counter), .. }, Expr { kind: ExprKind::Int(end), .. }] =
        args.as_slice()
    else {
        return None;
    };
    let first = *constants.get(counter)?;
    let step = counter_step(body, update, *counter)?;
    let (way, by) = (i128::from(*end) - i128::from(first), i128::from(step));
    let (way, by, is_up) = if by < 0 { (-way, -by, false) } else { (way, by, true) };
    let count = match (operation, is_up) {
        (Operation::Lt, true) | (Operation::Gt, false) => (way + by - 1) / by,
        (Operation::Le, true) | (Operation::Ge, false) => way / by + 1,
        (Operation::Ne, _) if way >= 0 && way % by == 0 => way / by,
        _ => return None,
    };
    usize::try_from(count.max(i128::from(*post_tested))).ok()
}

/// The step of an induction variable that nothing else assigns.
fn counter_step(body: &[Stmt], update: &[Stmt], counter: LocalId) -> Option<i64> {
    let mut assigned = Vec::new();
    for part in [body, update] {
        walk::visit_stmts(part, &mut |stmt| match &stmt.kind {
            StmtKind::Set { local, value } if *local == counter => assigned.push(Some(value)),
            StmtKind::SetStructField { local, .. } if *local == counter => assigned.push(None),
            _ => {}
        });
    }
    let [Some(value)] = assigned.as_slice() else { return None };
    let ExprKind::Operation { operation, args } = &value.kind else { return None };
    let [of, Expr { kind: ExprKind::Int(by @ 1..), .. }] = args.as_slice() else { return None };
    let is_counter = matches!(of.kind, ExprKind::Local(of) if of == counter);
    match operation {
        Operation::Add if is_counter => Some(*by),
        Operation::Sub if is_counter => Some(-by),
        _ => None,
    }
}
