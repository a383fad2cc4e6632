//! Loop unswitching of work-item loops on guards that hold for a whole block (Muchnick, *Advanced Compiler
//! Design and Implementation*), in the form of full-tile versioning.
//!
//! Most blocks of `if (i < n) { ... }` pass the guard with all threads. The guard is evaluated once per
//! block, and full blocks run loops without a condition, which compilers vectorise. Other blocks keep the
//! test.
//!
//! Soundness: indices may wrap. The sides of the comparison are evaluated, as the program does it, for the
//! threads at the corners of the block. If the differences are those of an affine function, nothing wrapped
//! in between, and what holds at the corners holds for all threads.

use rustc_hash::FxHashSet;

use crate::analysis::expressions::{is_same_expr, is_total, single_value};
use crate::analysis::kernel_ir::access_stride::thread_stride;
use crate::kernel_ir::{Comparison, Guard, KernelIr, Schedule, Storage, Threads, edit_proven};
use crate::transform::kernel_ir::region_formation::single_stmt;
use apg_mir::walk::{visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;

/// Upper limit of coefficients: products with thread counts fit 64 bits.
pub(super) const MAX_COEFFICIENT: i64 = 1 << 40;

/// Upper limit of comparisons that are evaluated per block.
const MAX_COMPARISONS: usize = 4;
/// Upper limit of expressions in a region that is printed twice for conditions inside of it.
const MAX_VERSIONED_EXPRESSIONS: usize = 150;

/// Unswitches regions on guards that hold for all threads of most blocks.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_schedules(&mut |ir, schedule, threads| {
        if threads != Threads::OfBlock {
            return;
        }
        edit_proven(schedule, false, &mut |schedule, in_tile| {
            let found = match &*schedule {
                _ if in_tile => None,
                Schedule::Threads(stmts) => {
                    find_single_guard(ir, stmts).or_else(|| find_uniform_conditions(ir, stmts))
                }
                Schedule::Chunks(chunks) => find_single_guard(ir, &chunks.stmts),
                _ => None,
            };
            if let Some((guard, then)) = found {
                let (full, partial) = (Box::new(Schedule::Threads(then)), schedule.take());
                *schedule = Schedule::FullTile { guard, full, partial };
            }
        });
    });
}

/// The guard that a region consists of, if its sides are affine, and the statements behind it.
pub(super) fn find_single_guard(ir: &KernelIr, stmts: &[Stmt]) -> Option<(Guard, Vec<Stmt>)> {
    let mut found = None;
    for stmt in stmts {
        single_stmt(ir, stmt, &mut found)?;
    }
    let StmtKind::If { condition, then, otherwise } = &found?.kind else { return None };
    let mut comparisons = Vec::new();
    (otherwise.is_empty() && collect_comparisons(ir, condition, &mut comparisons)).then_some(())?;
    Some((Guard { comparisons, assumed_conditions: Vec::new() }, then.clone()))
}

/// Conditions inside of a region that hold for all threads of most blocks: `i < n ? a(i) : 0`, and guards
/// beside other statements. Only conditions that depend on the block index: others are the same in each
/// block.
fn find_uniform_conditions(ir: &KernelIr, stmts: &[Stmt]) -> Option<(Guard, Vec<Stmt>)> {
    let (mut conditions, mut weight, mut loops) = (Vec::new(), 0, false);
    for stmt in stmts {
        let list = std::slice::from_ref(stmt);
        visit_stmts(list, &mut |it| match &it.kind {
            StmtKind::If { condition, .. } => collect_conjuncts(condition, &mut conditions),
            StmtKind::Loop { .. } => loops = true,
            _ => {}
        });
        visit_exprs(list, &mut |it, _| {
            weight += 1;
            if let ExprKind::Select { condition, .. } = &it.kind {
                collect_conjuncts(condition, &mut conditions);
            }
        });
    }
    if loops || weight > MAX_VERSIONED_EXPRESSIONS {
        return None;
    }
    let (mut comparisons, mut assumed): (Vec<Comparison>, Vec<ExprId>) = (Vec::new(), Vec::new());
    for condition in conditions {
        let mut found = Vec::new();
        let asks = depends_on_block_index(ir, condition) && collect_comparisons(ir, condition, &mut found);
        let [comparison] = found.as_slice() else { continue };
        let is_known = |it: &Comparison| {
            it.strict == comparison.strict
                && it.sides.iter().zip(&comparison.sides).all(|(a, b)| is_same_expr(a, b))
        };
        if !asks || comparisons.len() == MAX_COMPARISONS && !comparisons.iter().any(is_known) {
            continue;
        }
        assumed.push(condition.id);
        if !comparisons.iter().any(is_known) {
            comparisons.append(&mut found);
        }
    }
    let guard = Guard { comparisons, assumed_conditions: assumed };
    (!guard.assumed_conditions.is_empty()).then(|| (guard, stmts.to_vec()))
}

/// Collects the conjuncts of a condition.
fn collect_conjuncts<'a>(condition: &'a Expr, into: &mut Vec<&'a Expr>) {
    match &condition.kind {
        ExprKind::And(a, b) => [a, b].into_iter().for_each(|it| collect_conjuncts(it, into)),
        ExprKind::Operation { operation: Operation::And, args } => {
            args.iter().for_each(|it| collect_conjuncts(it, into));
        }
        _ => into.push(condition),
    }
}

/// Whether a value depends on the block index.
fn depends_on_block_index(ir: &KernelIr, expr: &Expr) -> bool {
    let mut found = false;
    visit_expr(expr, None, &mut |it, _| {
        let ExprKind::Local(local) = it.kind else { return };
        found |= ir.kernel.block_locals.contains(&local)
            || block_invariant_value(ir, local).is_some_and(|it| depends_on_block_index(ir, it));
    });
    found
}

/// Value of a local that is assigned once per block.
fn block_invariant_value(ir: &KernelIr, local: LocalId) -> Option<&Expr> {
    let derived = ir.rematerialized_value(local);
    let is_fixed = ir.storage.get(local.index()) == Some(&Storage::Uniform) && ir.is_assigned_once(local);
    let mut found = None;
    if is_fixed {
        visit_stmts(&ir.kernel.body, &mut |it| {
            if let StmtKind::Set { local: id, value } = &it.kind
                && *id == local
            {
                found = Some(value);
            }
        });
    }
    derived.or(found)
}

/// Collects the comparisons of a conjunction; false if it has other parts.
fn collect_comparisons(ir: &KernelIr, condition: &Expr, into: &mut Vec<Comparison>) -> bool {
    let both = |a, b, into: &mut Vec<_>| collect_comparisons(ir, a, into) && collect_comparisons(ir, b, into);
    match &condition.kind {
        ExprKind::And(a, b) => both(a, b, into),
        ExprKind::Operation { operation, args } => {
            let [a, b] = args.as_slice() else { return false };
            let (sides, strict) = match operation {
                Operation::And => return both(a, b, into),
                Operation::Lt => ([a, b], true),
                Operation::Le => ([a, b], false),
                Operation::Gt => ([b, a], true),
                Operation::Ge => ([b, a], false),
                _ => return false,
            };
            let factors = sides.map(|it| axis_coefficients(ir, it));
            let sides = sides.map(Expr::clone);
            let [Some(first), Some(second)] = factors else { return false };
            into.push(Comparison { sides, factors: [first, second], strict });
            true
        }
        _ => false,
    }
}

/// Coefficients of a side on each axis.
fn axis_coefficients(ir: &KernelIr, side: &Expr) -> Option<Vec<i64>> {
    let is_fixed = |it: &Expr| ir.is_uniform(it, &FxHashSet::default());
    let fits = matches!(side.ty, Ty::I32 | Ty::I64)
        && is_total(side)
        && count_widened_values(ir, &[], &is_fixed, side) < 2;
    let none = FxHashSet::default();
    let along =
        |axis: &LocalId| thread_stride(ir, &none, *axis, side).filter(|it| it.abs() <= MAX_COEFFICIENT);
    fits.then(|| ir.kernel.thread_locals.iter().rev().map(along).collect())?
}

/// Number of varying 32-bit values that are widened in a 64-bit value. A wrapped one is detected at a corner;
/// two could cancel out at the corners and not in between. `fixed` says which expressions do not vary,
/// `uniform` has definitions of block-uniform locals.
pub(super) fn count_widened_values(
    ir: &KernelIr,
    uniform: &[Stmt],
    fixed: &dyn Fn(&Expr) -> bool,
    expr: &Expr,
) -> usize {
    let of = |expr: &Expr| count_widened_values(ir, uniform, fixed, expr);
    if expr.ty != Ty::I64 {
        return 0;
    }
    match &expr.kind {
        ExprKind::Local(local) => {
            let derived = ir.rematerialized_value(*local);
            derived.or_else(|| single_value(uniform, *local)).map_or(0, of)
        }
        ExprKind::Operation { operation: Operation::Convert, args } => args
            .iter()
            .map(|it| match it.ty {
                Ty::I64 => of(it),
                _ => usize::from(!is_index(ir, it) && !fixed(it)),
            })
            .sum(),
        ExprKind::Operation { args, .. } => args.iter().map(of).sum(),
        _ => 0,
    }
}

/// Whether a value is a thread or block index, which does not wrap.
fn is_index(ir: &KernelIr, expr: &Expr) -> bool {
    let kernel = &ir.kernel;
    matches!(expr.kind, ExprKind::Local(local) if kernel.thread_locals.contains(&local) || kernel.block_locals.contains(&local))
}
