//! Unroll factors of device loops.

use crate::analysis::constants::constant_value;
use crate::analysis::locals::{collect_assigned, mentions};
use crate::kernel_ir::{KernelIr, UnrollFactor};
use apg_mir::walk::{bodies, operands, visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Unroll factor of loops of unknown length. NVRTC's own factor is four, with which loop control is up to a
/// tenth of all instructions and few loads are in flight.
const UNROLL_FACTOR: u32 = 16;

/// Upper limit of expressions in an unrolled body.
const MAX_UNROLLED_BODY_EXPRESSIONS: usize = 120;
/// Upper limit of the trip count of an inner loop in an unrolled body.
const MAX_INNER_TRIP_COUNT: i64 = 8;

/// Limits of full unrolling: trip count, elements of an array in registers, and resulting expressions.
const MAX_FULL_UNROLL_TRIP_COUNT: i64 = 128;
const MAX_REGISTER_RAIL_ELEMENTS: i64 = 64;
const MAX_FULL_UNROLL_EXPRESSIONS: usize = 16_384;

/// Chooses the loops that are unrolled, and how.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.device.unroll_factors = choose_unroll_factors(&ir.kernel);
}

fn choose_unroll_factors(kernel: &Kernel) -> FxHashMap<LabelId, UnrollFactor> {
    let mut found = FxHashMap::default();
    let register_rails = register_rails(&kernel.body);
    visit_stmts(&kernel.body, &mut |stmt| {
        let StmtKind::Loop { label, condition, body, update, unroll, .. } = &stmt.kind else { return };
        let trip_count = known_trip_count(condition);
        if let Some(requested) = unroll {
            if trip_count.is_some_and(|it| it <= i64::from(*requested)) {
                found.insert(*label, UnrollFactor::Full);
            }
            return;
        }
        match trip_count {
            // Private arrays indexed by the counter stay in memory unless each iteration has code of its own.
            Some(trip_count @ 1..=MAX_FULL_UNROLL_TRIP_COUNT)
                if selects_elements(body, update, &register_rails)
                    && unrolled_size(body, requested_factor) * (trip_count as usize)
                        < MAX_FULL_UNROLL_EXPRESSIONS =>
            {
                found.insert(*label, UnrollFactor::Full);
            }
            Some(_) => {}
            // Innermost loops of unknown length that read shared memory only: its latency is short, so that
            // longer bodies need no more registers and do not reduce occupancy.
            None if is_straight_line(body) && reads_shared_memory(kernel, &register_rails, body) => {
                found.insert(*label, UnrollFactor::Times(UNROLL_FACTOR));
            }
            None => {}
        }
    });
    found
}

/// Estimated trip count of a loop with a constant bound.
fn known_trip_count(condition: &Expr) -> Option<i64> {
    let ExprKind::Operation { args, .. } = &condition.kind else { return None };
    let end = args.iter().find_map(constant_value)?;
    Some(if end > 0 { end } else { MAX_REGISTER_RAIL_ELEMENTS })
}

/// Private arrays that are small enough for registers.
fn register_rails(body: &[Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && let ExprKind::AllocateRail { length, .. } = &value.kind
            && constant_value(length).is_some_and(|it| it <= MAX_REGISTER_RAIL_ELEMENTS)
        {
            found.insert(*local);
        }
    });
    found
}

/// Whether the counter selects elements of one of these arrays.
fn selects_elements(body: &[Stmt], update: &[Stmt], register_rails: &FxHashSet<LocalId>) -> bool {
    let mut counters = FxHashSet::default();
    collect_assigned(update, &mut counters);
    // In program order: locals computed from a counter count as counters.
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && counters.iter().any(|it| mentions(value, *it))
        {
            counters.insert(*local);
        }
    });
    let chosen = |rail: &Expr, index: &Expr| {
        matches!(rail.kind, ExprKind::Local(local) if register_rails.contains(&local))
            && counters.iter().any(|it| mentions(index, *it))
    };
    let mut found = false;
    visit_exprs(body, &mut |expr, _| {
        found |= matches!(&expr.kind, ExprKind::Element { rail, index, .. } if chosen(rail, index));
    });
    visit_stmts(body, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::SetElement { rail, index, .. } if chosen(rail, index));
    });
    found
}

/// Number of expressions if each loop is unrolled by `times`.
fn unrolled_size(body: &[Stmt], times: fn(&StmtKind) -> usize) -> usize {
    let of = |stmt: &Stmt| {
        let mut count = 0;
        for operand in operands(&stmt.kind) {
            visit_expr(operand, None, &mut |_, _| count += 1);
        }
        count += bodies(&stmt.kind).into_iter().map(|it| unrolled_size(it, times)).sum::<usize>();
        count.saturating_mul(times(&stmt.kind))
    };
    body.iter().map(of).sum()
}

/// The factor that the program requests.
fn requested_factor(kind: &StmtKind) -> usize {
    if let StmtKind::Loop { unroll: Some(times), .. } = kind { *times as usize } else { 1 }
}

/// The factor that compilers choose by themselves.
fn compiler_factor(kind: &StmtKind) -> usize {
    let StmtKind::Loop { condition, .. } = kind else { return 1 };
    known_trip_count(condition).and_then(|it| usize::try_from(it).ok()).unwrap_or(1)
}

/// Whether a body consists of assignments, branches and fully unrolled loops.
fn is_straight_line(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| {
        let is_plain = match &stmt.kind {
            StmtKind::Set { .. } | StmtKind::Block(_) | StmtKind::If { .. } => true,
            StmtKind::Loop { condition, unroll: None, .. } => {
                known_trip_count(condition).is_some_and(|it| it <= MAX_INNER_TRIP_COUNT)
            }
            _ => false,
        };
        is_plain && bodies(&stmt.kind).into_iter().all(|it| is_straight_line(it))
    })
}

/// Besides shared memory only arrays in registers may be read.
fn reads_shared_memory(kernel: &Kernel, register_rails: &FxHashSet<LocalId>, body: &[Stmt]) -> bool {
    let (mut reads, mut others) = (0, false);
    visit_exprs(body, &mut |expr, _| match &expr.kind {
        ExprKind::Element { rail, .. } => {
            let is_shared = matches!(rail.kind, ExprKind::Local(local) if kernel.shared.iter().any(|it| it.local == local));
            let is_own = matches!(rail.kind, ExprKind::Local(local) if register_rails.contains(&local));
            reads += usize::from(is_shared);
            others |= !is_shared && !is_own;
        }
        ExprKind::Call { .. }
        | ExprKind::CallPointer { .. }
        | ExprKind::Load(_)
        | ExprKind::Atomic { .. }
        | ExprKind::Collective { .. }
        | ExprKind::Runtime { .. } => others = true,
        _ => {}
    });
    reads > 0 && !others && unrolled_size(body, compiler_factor) <= MAX_UNROLLED_BODY_EXPRESSIONS
}
