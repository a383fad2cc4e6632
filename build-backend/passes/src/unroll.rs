//! `@Unroll(n)` is a wish: loops in loops that are all unrolled multiply, and so may a hundred characters of a program become millions of
//! instructions, which no compiler of C++ or CUDA ends with. What is asked above the turns that a loop has is not counted.

use rustc_hash::FxHashMap;

use apg_mir::walk::{self, visit_expr};
use apg_mir::walk_mut::{bodies, operands};
use apg_mir::{Expr, ExprKind, LocalId, Operation, Program, Stmt, StmtKind};

/// The most expressions that come of one loop. (A thousand turns of a loop of one statement, `sum += a(i) * b(i)`, are 12,000.)
const MOST_EXPRESSIONS: usize = 32_768;

/// Locals that are known numbers.
type Numbers = FxHashMap<LocalId, i64>;

/// Makes the wishes of loops smaller, outer ones first, where more would come of them.
pub fn limit_unrolling(program: &mut Program) {
    for function in &mut program.functions {
        limit(&mut function.body, &mut Numbers::default());
    }
    for kernel in &mut program.kernels {
        limit(&mut kernel.body, &mut Numbers::default());
    }
}

/// How many expressions come of these statements.
fn limit(body: &mut [Stmt], numbers: &mut Numbers) -> usize {
    let mut all = 0;
    for stmt in body {
        let mut size = 1;
        for operand in operands(&mut stmt.kind) {
            visit_expr(operand, None, &mut |_, _| size += 1);
        }
        let turns = turns(&stmt.kind, numbers);
        if matches!(stmt.kind, StmtKind::Loop { .. }) {
            forget_assigned(&stmt.kind, numbers);
        }
        size += limit_inner(bodies(&mut stmt.kind), numbers);
        forget_assigned(&stmt.kind, numbers);
        if let StmtKind::Set { local, value: Expr { kind: ExprKind::Int(value), .. } } = &stmt.kind {
            numbers.insert(*local, *value);
        }
        if let StmtKind::Loop { unroll: Some(times), .. } = &mut stmt.kind {
            // Compilers take 1 for "not at all", and not all of them know 0.
            let most = (MOST_EXPRESSIONS / size).min(turns.unwrap_or(usize::MAX)).max(1);
            *times = (*times as usize).clamp(1, most) as u32;
            size *= *times as usize;
        }
        all += size;
    }
    all
}

/// The same of the bodies in a statement, each entered with the same numbers.
fn limit_inner(mut inner: Vec<&mut Vec<Stmt>>, numbers: &mut Numbers) -> usize {
    inner.retain(|it| !it.is_empty());
    match inner.as_mut_slice() {
        [] => 0,
        [only] => limit(only, numbers),
        several => several.iter_mut().map(|it| limit(it, &mut numbers.clone())).sum(),
    }
}

fn forget_all(body: &[Stmt], numbers: &mut Numbers) {
    if !numbers.is_empty() {
        body.iter().for_each(|it| forget_assigned(&it.kind, numbers));
    }
}

/// What a statement assigns is no longer the number that it was.
fn forget_assigned(kind: &StmtKind, numbers: &mut Numbers) {
    if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = kind {
        numbers.remove(local);
    }
    for inner in walk::bodies(kind) {
        forget_all(inner, numbers);
    }
}

/// How many turns a loop has that counts from a known number to another.
fn turns(kind: &StmtKind, numbers: &Numbers) -> Option<usize> {
    let StmtKind::Loop { condition, body, update, post_tested, unroll: Some(_), .. } = kind else {
        return None;
    };
    let ExprKind::Operation { operation, args } = &condition.kind else { return None };
    let [Expr { kind: ExprKind::Local(counter), .. }, Expr { kind: ExprKind::Int(end), .. }] =
        args.as_slice()
    else {
        return None;
    };
    let first = *numbers.get(counter)?;
    let step = step(body, update, *counter)?;
    let (way, by) = (i128::from(*end) - i128::from(first), i128::from(step));
    let (way, by, is_up) = if by < 0 { (-way, -by, false) } else { (way, by, true) };
    let turns = match (operation, is_up) {
        (Operation::Lt, true) | (Operation::Gt, false) => (way + by - 1) / by,
        (Operation::Le, true) | (Operation::Ge, false) => way / by + 1,
        (Operation::Ne, _) if way >= 0 && way % by == 0 => way / by,
        _ => return None,
    };
    usize::try_from(turns.max(i128::from(*post_tested))).ok()
}

/// What is added to a counter in each turn, where nothing else changes it.
fn step(body: &[Stmt], update: &[Stmt], counter: LocalId) -> Option<i64> {
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
