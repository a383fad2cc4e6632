//! Loops of a kernel for a device that are unrolled further than the device's compiler would.

use apg_mir::walk::{bodies, operands, visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::bounds::{assigned, mentions};

/// How often. Compilers unroll a loop of unknown length four times; what a loop costs beside its body is then up to a tenth of
/// its instructions, and few loads are on their way at once. (The nearest of 400 centres in shared memory, on an H100: 4 times
/// 0.755 ms, 8 times 0.741, 16 times 0.693.)
pub const UNROLL_FACTOR: u32 = 16;

/// The most expressions in a body.
const MAX_UNROLLED_BODY_EXPRESSIONS: usize = 120;
/// The most trip_count of a loop in it.
const MAX_INNER_TRIP_COUNT: i64 = 8;

/// The most trip_count of a loop that is unrolled as a whole, the most elements of a rail in register_rails, and the most expressions that come of it.
const MAX_FULL_UNROLL_TRIP_COUNT: i64 = 128;
const MAX_REGISTER_RAIL_ELEMENTS: i64 = 64;
const MAX_FULL_UNROLL_EXPRESSIONS: usize = 16_384;

/// How far a loop is unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnrollFactor {
    /// So many trip_count make one.
    Times(u32),
    /// All trip_count, once the compiler knows how many: where that depends on the turn of a loop around it, after that one. Told a number,
    /// compilers unroll the inner loop at once, with a rest, and what it selects_elements among a thread's own elements stays in memory.
    Full,
}

/// The choose_unroll_factors that are unrolled, and how far.
pub fn choose_unroll_factors(kernel: &Kernel) -> FxHashMap<LabelId, UnrollFactor> {
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
            // What the turn selects_elements among a thread's own elements stays in memory, unless each turn has code of its own.
            Some(trip_count @ 1..=MAX_FULL_UNROLL_TRIP_COUNT)
                if selects_elements(body, update, &register_rails)
                    && unrolled_size(body, requested_factor) * (trip_count as usize)
                        < MAX_FULL_UNROLL_EXPRESSIONS =>
            {
                found.insert(*label, UnrollFactor::Full);
            }
            Some(_) => {}
            // Innermost choose_unroll_factors, of a length that is not in the program's text, that read shared memory and nothing else: what they
            // read comes soon, so that a longer body needs no more register_rails, and blocks do not make room for each other.
            None if is_straight_line(body) && reads_shared_memory(kernel, &register_rails, body) => {
                found.insert(*label, UnrollFactor::Times(UNROLL_FACTOR));
            }
            None => {}
        }
    });
    found
}

/// The end of the loop is a constant, at most so many trip_count from a start that is likely: the compiler sees how long it is.
fn known_trip_count(condition: &Expr) -> Option<i64> {
    let ExprKind::Operation { args, .. } = &condition.kind else { return None };
    let end = args.iter().find_map(super::constant)?;
    Some(if end > 0 { end } else { MAX_REGISTER_RAIL_ELEMENTS })
}

/// A thread's own rails that may be in register_rails.
fn register_rails(body: &[Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && let ExprKind::AllocateRail { length, .. } = &value.kind
            && super::constant(length).is_some_and(|it| it <= MAX_REGISTER_RAIL_ELEMENTS)
        {
            found.insert(*local);
        }
    });
    found
}

/// Whether an element of one of these rails is chosen by what the loop counts.
fn selects_elements(body: &[Stmt], update: &[Stmt], register_rails: &FxHashSet<LocalId>) -> bool {
    let mut counters = FxHashSet::default();
    assigned(update, &mut counters);
    // In order: what is computed from a counter counts as well.
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

/// How many expressions come of statements if each loop in them is written out so many times.
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

/// As often as the program wishes.
fn requested_factor(kind: &StmtKind) -> usize {
    if let StmtKind::Loop { unroll: Some(times), .. } = kind { *times as usize } else { 1 }
}

/// As often as compilers do by themselves.
fn compiler_factor(kind: &StmtKind) -> usize {
    let StmtKind::Loop { condition, .. } = kind else { return 1 };
    known_trip_count(condition).and_then(|it| usize::try_from(it).ok()).unwrap_or(1)
}

/// Assignments and conditions, and choose_unroll_factors that compilers write out, no more.
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

/// Beside shared memory, only rails in register_rails may be read.
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
        | ExprKind::Atomic { .. }
        | ExprKind::Collective { .. }
        | ExprKind::Runtime { .. } => others = true,
        _ => {}
    });
    reads > 0 && !others && unrolled_size(body, compiler_factor) <= MAX_UNROLLED_BODY_EXPRESSIONS
}
