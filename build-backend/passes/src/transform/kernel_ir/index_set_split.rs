//! Index-set splitting of work-item loops by guards on thread indices (Griebl, Feautrier and Lengauer, 2000).
//!
//! A guard such as `if (tx == 0n) ...` in a parallel region costs each thread a test and each vector a mask.
//! Where the code behind it reads no register of the code before it, the guarded statement gets its own loop
//! over the threads of a row that pass the guard; a guard on a slower axis is tested once per row.
//!
//! Each thread executes its statements in order; only the order between threads changes, which CUDA leaves
//! open. Conjuncts that are no index bounds stay as tests inside: only threads that certainly fail are
//! excluded.

use rustc_hash::FxHashSet;

use crate::analysis::constants::constant_value;
use crate::analysis::expressions::is_total;
use crate::analysis::locals::{is_assigned_first, mentioned_locals};
use crate::kernel_ir::{AxisBound, KernelIr, Relation, Schedule, Storage, SubRange, Threads, edit_proven};
use crate::transform::kernel_ir::region_formation::single_stmt;
use apg_mir::*;

/// Rows of no more threads are a few vectors, for which a mask is cheaper than a loop.
const MAX_MASKED_ROW_THREADS: i64 = 32;
/// A loop of its own stores and reloads what the loops around it keep in registers: it pays if at most one
/// thread in this number passes.
const MIN_EXCLUDED_RATIO: i64 = 4;
/// From this stride on, single threads (for example the first lane of each warp) are cheaper one by one than
/// as masked vectors.
const MIN_REMAINDER_STRIDE: i64 = 8;

/// A sub-range whose guard is still in its statements.
struct GuardedRange<'a> {
    stmts: Vec<&'a Stmt>,
    bounds: Vec<AxisBound>,
    /// The bounds are equivalent to the guard.
    is_exact: bool,
}

impl GuardedRange<'_> {
    fn without_guard(self) -> SubRange {
        let stmts = match self.stmts.as_slice() {
            [Stmt { kind: StmtKind::If { then, .. }, .. }] if self.is_exact && !self.bounds.is_empty() => {
                then.clone()
            }
            all => all.iter().map(|it| (*it).clone()).collect(),
        };
        SubRange { bounds: self.bounds, stmts }
    }
}

/// Splits the regions in which a guard is worth a loop of its own.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_schedules(&mut |ir, schedule, threads| {
        if threads != Threads::OfBlock {
            return;
        }
        edit_proven(schedule, false, &mut |schedule, in_tile| {
            let Schedule::Threads(stmts) = &*schedule else { return };
            let Some(found) = split_by_guards(ir, stmts) else { return };
            let proven = Schedule::SubRanges(found);
            *schedule = match in_tile {
                true => proven,
                false => Schedule::Proven { proven: Box::new(proven), otherwise: schedule.take() },
            };
        });
    });
}

/// Splits a region at its guards, if one of them is worth a loop of its own.
pub(super) fn split_by_guards(ir: &KernelIr, stmts: &[Stmt]) -> Option<Vec<SubRange>> {
    let mut found = Vec::new();
    let is_alone = is_single_guard(ir, stmts);
    stmts.iter().for_each(|it| add_stmt(ir, it, is_alone, &mut found));
    merge_dependent(ir, &mut found);
    let is_split = found.iter().any(|it| !it.bounds.is_empty());
    is_split.then(|| found.into_iter().map(GuardedRange::without_guard).collect())
}

/// Whether the region consists of one guard.
fn is_single_guard(ir: &KernelIr, stmts: &[Stmt]) -> bool {
    let mut found = None;
    stmts.iter().all(|it| single_stmt(ir, it, &mut found).is_some())
}

fn add_stmt<'a>(ir: &KernelIr, stmt: &'a Stmt, is_alone: bool, found: &mut Vec<GuardedRange<'a>>) {
    let mut bounds = Vec::new();
    let mut is_exact = false;
    match &stmt.kind {
        StmtKind::Block(body) => return body.iter().for_each(|it| add_stmt(ir, it, is_alone, found)),
        StmtKind::If { condition, otherwise, .. } if otherwise.is_empty() => {
            let is_complete = collect_bounds(ir, condition, &mut bounds) == Residual::None;
            let before = bounds.len();
            let row = ir.kernel.host.threads.last().and_then(constant_value);
            bounds.retain(|it| it.is_profitable(row, is_alone));
            let rest = bounds.iter().any(|it| matches!(it.relation, Relation::Remainder(_)));
            is_exact = is_complete && bounds.len() == before && !rest;
        }
        _ => {}
    }
    match found.last_mut() {
        Some(last) if last.bounds.is_empty() && bounds.is_empty() => last.stmts.push(stmt),
        _ => found.push(GuardedRange { stmts: vec![stmt], bounds, is_exact }),
    }
}

/// Merges sub-ranges that pass values in registers.
fn merge_dependent(ir: &KernelIr, found: &mut Vec<GuardedRange<'_>>) {
    let mentioned_in = |stmts: &[&Stmt]| -> FxHashSet<LocalId> {
        stmts.iter().flat_map(|it| mentioned_locals(std::slice::from_ref(*it))).collect()
    };
    let all: Vec<&Stmt> = found.iter().flat_map(|it| it.stmts.iter().copied()).collect();
    for local in mentioned_in(&all) {
        if ir.storage.get(local.index()) != Some(&Storage::Register) {
            continue;
        }
        let mentions = |it: &GuardedRange<'_>| mentioned_in(&it.stmts).contains(&local);
        let reads_first =
            |it: &GuardedRange<'_>| mentions(it) && !is_assigned_first(it.stmts.iter().copied(), local);
        let (Some(first), Some(last)) =
            (found.iter().position(mentions), found.iter().rposition(reads_first))
        else {
            continue;
        };
        if first < last {
            let stmts = found.drain(first..=last).flat_map(|it| it.stmts).collect();
            found.insert(first, GuardedRange { stmts, bounds: Vec::new(), is_exact: false });
        }
    }
}

/// The part of a condition that the collected bounds do not express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Residual {
    None,
    /// Something pure and total: excluded threads need not evaluate it.
    Pure,
    /// Something that excluded threads have to evaluate.
    Required,
}

/// Collects the bounds of a condition from left to right, up to what all threads must evaluate.
fn collect_bounds(ir: &KernelIr, expr: &Expr, found: &mut Vec<AxisBound>) -> Residual {
    let both = |a: &Expr, b: &Expr, found: &mut Vec<AxisBound>| match collect_bounds(ir, a, found) {
        Residual::Required => Residual::Required,
        first => match collect_bounds(ir, b, found) {
            Residual::None => first,
            second => second,
        },
    };
    match &expr.kind {
        ExprKind::And(a, b) => both(a, b, found),
        ExprKind::Local(local) => {
            rematerialized_value(ir, *local).map_or(Residual::Required, |it| collect_bounds(ir, it, found))
        }
        ExprKind::Operation { operation, args } => match (args.as_slice(), Relation::of(*operation)) {
            // A strict conjunction evaluates its second operand for all threads.
            ([a, b], _) if *operation == Operation::And && expr.ty == Ty::Bool => {
                let before = found.len();
                let rest = both(a, b, found);
                if rest == Residual::Required {
                    found.truncate(before);
                }
                rest
            }
            ([a, b], Some(relation)) => {
                if let Some(bound) =
                    axis_bound(ir, a, relation, b).or_else(|| axis_bound(ir, b, relation.mirrored(), a))
                {
                    found.push(bound);
                    return Residual::None;
                }
                let is_pure = |it: &&Expr| matches!(it.ty, Ty::I32 | Ty::I64) && is_total(it);
                if [a, b].iter().copied().all(|it| is_pure(&it)) {
                    Residual::Pure
                } else {
                    Residual::Required
                }
            }
            _ => Residual::Required,
        },
        _ => Residual::Required,
    }
}

impl AxisBound {
    /// Upper bound of the threads that pass, of a row of `row`.
    fn passing(&self, row: i64) -> i64 {
        let Some(side) = constant_value(&self.side) else { return row };
        let passing = match self.relation {
            Relation::Below => side,
            Relation::UpTo => side.saturating_add(1),
            Relation::From => row.saturating_sub(side),
            Relation::Above => row.saturating_sub(side).saturating_sub(1),
            Relation::Is => 1,
            Relation::Remainder(number) => row / number,
        };
        passing.clamp(0, row)
    }

    fn is_profitable(&self, row: Option<i64>, is_alone: bool) -> bool {
        match self.relation {
            Relation::Remainder(number) => number >= MIN_REMAINDER_STRIDE,
            Relation::Is => true,
            _ if self.axis > 0 => true,
            _ if is_alone => row.is_none_or(|it| it > MAX_MASKED_ROW_THREADS),
            _ => row.is_some_and(|it| self.passing(it) <= it / MIN_EXCLUDED_RATIO),
        }
    }
}

/// The bound that a comparison implies.
fn axis_bound(ir: &KernelIr, value: &Expr, relation: Relation, side: &Expr) -> Option<AxisBound> {
    let relation_of = |number| (relation == Relation::Is).then_some(Relation::Remainder(number));
    if let Some((axis, number)) = remainder_axis(ir, value) {
        constant_value(side).filter(|it| (0..number).contains(it))?;
        return Some(AxisBound { axis, relation: relation_of(number)?, side: side.clone() });
    }
    let axis = index_axis(ir, value).filter(|_| is_uniform_total(ir, side))?;
    Some(AxisBound { axis, relation, side: side.clone() })
}

/// Axis and modulus of an index modulo a constant, such as the lane in a warp.
fn remainder_axis(ir: &KernelIr, expr: &Expr) -> Option<(usize, i64)> {
    match &expr.kind {
        _ if !matches!(expr.ty, Ty::I32 | Ty::I64) => None,
        ExprKind::Local(local) => remainder_axis(ir, rematerialized_value(ir, *local)?),
        ExprKind::Operation { operation: Operation::Convert, args } => remainder_axis(ir, args.first()?),
        ExprKind::Operation { operation, args } => {
            let [index, number] = args.as_slice() else { return None };
            let number = match (operation, constant_value(number)?) {
                (Operation::Rem, number) => number,
                (Operation::And, mask) => mask.checked_add(1).filter(|it| it & mask == 0)?,
                _ => return None,
            };
            Some((index_axis(ir, index)?, number)).filter(|_| number > 1)
        }
        _ => None,
    }
}

/// Whether an integer is block-uniform and its evaluation cannot fail.
fn is_uniform_total(ir: &KernelIr, expr: &Expr) -> bool {
    matches!(expr.ty, Ty::I32 | Ty::I64) && is_total(expr) && ir.is_uniform(expr, &FxHashSet::default())
}

fn rematerialized_value(ir: &KernelIr, local: LocalId) -> Option<&Expr> {
    ir.rematerialized.iter().find(|it| it.local == local && !it.has_offset).map(|it| &it.value)
}

/// The axis whose index a value is.
fn index_axis(ir: &KernelIr, expr: &Expr) -> Option<usize> {
    match &expr.kind {
        _ if !matches!(expr.ty, Ty::I32 | Ty::I64) => None,
        ExprKind::Local(local) => {
            let own = ir.kernel.thread_locals.iter().rev().position(|it| it == local);
            own.or_else(|| index_axis(ir, rematerialized_value(ir, *local)?))
        }
        ExprKind::Operation { operation: Operation::Convert, args } => index_axis(ir, args.first()?),
        _ => None,
    }
}
