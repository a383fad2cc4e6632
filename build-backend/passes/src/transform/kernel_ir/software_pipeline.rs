//! Software pipelining of loads in device loops (Lam, PLDI 1988).
//!
//! Precondition: a grid-stride loop without inner loops or barriers that reads read-only captured arrays at
//! affine indices. With few threads per multiprocessor such a loop is bound by memory latency. Its loads are
//! issued two iterations ahead, so that they overlap with the computation. The host decides at launch, by the
//! number of threads, whether the pipelined variant runs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::constants::constant_value;
use crate::analysis::expressions::is_same_expr;
use crate::analysis::induction_step::as_step;
use crate::analysis::locals::{collect_assigned, mentions_any};
use crate::kernel_ir::{KernelIr, PipelinedLoad, PipelinedLoop};
use apg_mir::walk::{operands, visit_stmts};
use apg_mir::*;

/// Loops with a shorter step touch cache lines that the thread has just loaded: elements.
const MIN_STEP_ELEMENTS: i64 = 32;
/// Upper limit of preloaded elements: more would cost registers, and so occupancy.
const MAX_PRELOADED_ELEMENTS: usize = 8;

/// Finds the loops that can be pipelined.
pub(crate) fn run(ir: &mut KernelIr) {
    let mut found = FxHashMap::default();
    visit_stmts(&ir.kernel.body, &mut |stmt| {
        let StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false } = &stmt.kind
        else {
            return;
        };
        if let Some(pipelined) = pipelined_loop(ir, condition, body, update) {
            found.insert(*label, pipelined);
        }
    });
    ir.device.pipelined_loops = found;
}

fn pipelined_loop(ir: &KernelIr, condition: &Expr, body: &[Stmt], update: &[Stmt]) -> Option<PipelinedLoop> {
    let mut inside = FxHashSet::default();
    collect_assigned(body, &mut inside);
    let mut has_loop_or_barrier = false;
    visit_stmts(body, &mut |it| {
        has_loop_or_barrier |= matches!(it.kind, StmtKind::Loop { .. } | StmtKind::Barrier)
    });
    let counters = induction_counters(update, &inside)?;
    // Operands of conditions and indices are known two iterations ahead.
    let is_known = |expr: &Expr| is_arithmetic(expr) && !mentions_any(expr, &inside);
    if has_loop_or_barrier || !is_known(condition) {
        return None;
    }
    let mut elements: Vec<PipelinedLoad> = Vec::new();
    let mut visit = |expr: &Expr| {
        let ExprKind::Element { rail, index, .. } = &expr.kind else { return };
        let ExprKind::Local(local) = rail.kind else { return };
        let is_read = matches!(
            ir.kernel.captures.get(local.index()).map(|it| it.kind),
            Some(KernelCaptureKind::Buffer { .. } | KernelCaptureKind::GlobalBuffer { .. })
        ) && ir.accesses.is_read_only(local);
        let is_number = !matches!(expr.ty, Ty::Struct(_) | Ty::Ref(_) | Ty::Any);
        let is_induction = counters.iter().any(|it| mentions_any(index, &FxHashSet::from_iter([*it])));
        if is_read && is_number && is_induction && is_known(index) && ir.is_inside(index) {
            match elements.iter_mut().find(|it| is_same_expr(&it.element, expr)) {
                Some(load) => load.uses.push(index.id),
                None => elements.push(PipelinedLoad { element: expr.clone(), uses: vec![index.id] }),
            }
        }
    };
    visit_unconditional_stmts(body, &mut |stmt| {
        operands(&stmt.kind).into_iter().for_each(|it| visit_unconditional_exprs(it, &mut visit))
    });
    (1..=MAX_PRELOADED_ELEMENTS).contains(&elements.len()).then(|| PipelinedLoop {
        counters,
        update: update.to_vec(),
        elements,
    })
}

/// The counters of an update, if it only adds loop-invariant values and one of the steps is long.
fn induction_counters(update: &[Stmt], inside: &FxHashSet<LocalId>) -> Option<Vec<LocalId>> {
    let mut changed = inside.clone();
    collect_assigned(update, &mut changed);
    let mut found = Vec::new();
    let mut is_far_step = false;
    for stmt in update {
        let StmtKind::Set { local, value } = &stmt.kind else { return None };
        let (by, _) = as_step(value, *local)?;
        if inside.contains(local) || found.contains(local) || !is_arithmetic(by) || mentions_any(by, &changed)
        {
            return None;
        }
        is_far_step |= constant_value(by).is_none_or(|it| it.abs() >= MIN_STEP_ELEMENTS);
        found.push(*local);
    }
    is_far_step.then_some(found)
}

/// Arithmetic on locals and constants: it can be evaluated ahead of time and raises nothing.
fn is_arithmetic(expr: &Expr) -> bool {
    use Operation as O;
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Local(_) => true,
        ExprKind::And(a, b) => is_arithmetic(a) && is_arithmetic(b),
        ExprKind::Length { rail, checked: false, .. } => matches!(rail.kind, ExprKind::Local(_)),
        ExprKind::StructField { value, .. } => matches!(value.kind, ExprKind::Local(_)),
        ExprKind::Operation { operation, args } => {
            matches!(
                operation,
                O::Add | O::Sub | O::Mul | O::Convert | O::And | O::Lt | O::Le | O::Gt | O::Ge
            ) && args.iter().all(is_arithmetic)
        }
        _ => false,
    }
}

/// Visits the statements that an iteration executes unconditionally; false at the first other statement.
fn visit_unconditional_stmts(body: &[Stmt], each: &mut impl FnMut(&Stmt)) -> bool {
    body.iter().all(|stmt| match &stmt.kind {
        StmtKind::Block(body) => visit_unconditional_stmts(body, each),
        StmtKind::Set { .. }
        | StmtKind::SetElement { .. }
        | StmtKind::SetStructField { .. }
        | StmtKind::Expr(_) => {
            each(stmt);
            true
        }
        _ => false,
    })
}

/// Visits the subexpressions that are evaluated unconditionally.
fn visit_unconditional_exprs(expr: &Expr, visit: &mut impl FnMut(&Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Operation { args, .. } | ExprKind::Call { args, .. } => {
            args.iter().for_each(|it| visit_unconditional_exprs(it, visit));
        }
        ExprKind::Select { condition, .. } => visit_unconditional_exprs(condition, visit),
        ExprKind::And(a, _) | ExprKind::Or(a, _) => visit_unconditional_exprs(a, visit),
        _ => {}
    }
}
