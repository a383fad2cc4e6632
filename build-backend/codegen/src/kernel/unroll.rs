//! Loops of a kernel for a device that are unrolled further than the device's compiler would.

use apg_mir::walk::{bodies, operands, visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::bounds::{assigned, mentions};

/// How often. Compilers unroll a loop of unknown length four times; what a loop costs beside its body is then up to a tenth of
/// its instructions, and few loads are on their way at once. (The nearest of 400 centres in shared memory, on an H100: 4 times
/// 0.755 ms, 8 times 0.741, 16 times 0.693.)
pub const TIMES: u32 = 16;

/// The most expressions in a body.
const LARGEST: usize = 120;
/// The most turns of a loop in it.
const SHORT: i64 = 8;

/// The most turns of a loop that is unrolled as a whole, the most elements of a rail in registers, and the most expressions that come of it.
const MOST_TURNS: i64 = 128;
const MOST_REGISTERS: i64 = 64;
const MOST_EXPRESSIONS: usize = 16_384;

/// How far a loop is unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrolled {
    /// So many turns make one.
    Times(u32),
    /// All turns, once the compiler knows how many: where that depends on the turn of a loop around it, after that one. Told a number,
    /// compilers unroll the inner loop at once, with a rest, and what it chooses among a thread's own elements stays in memory.
    Whole,
}

/// The loops that are unrolled, and how far.
pub fn loops(kernel: &Kernel) -> FxHashMap<LabelId, Unrolled> {
    let mut found = FxHashMap::default();
    let registers = registers(&kernel.body);
    visit_stmts(&kernel.body, &mut |stmt| {
        let StmtKind::Loop { label, condition, body, update, unroll, .. } = &stmt.kind else { return };
        let turns = known_turns(condition);
        if let Some(wish) = unroll {
            if turns.is_some_and(|it| it <= i64::from(*wish)) {
                found.insert(*label, Unrolled::Whole);
            }
            return;
        }
        match turns {
            // What the turn chooses among a thread's own elements stays in memory, unless each turn has code of its own.
            Some(turns @ 1..=MOST_TURNS)
                if chooses(body, update, &registers)
                    && written_out(body, wished) * (turns as usize) < MOST_EXPRESSIONS =>
            {
                found.insert(*label, Unrolled::Whole);
            }
            Some(_) => {}
            // Innermost loops, of a length that is not in the program's text, that read shared memory and nothing else: what they
            // read comes soon, so that a longer body needs no more registers, and blocks do not make room for each other.
            None if is_straight(body) && reads_shared_memory(kernel, &registers, body) => {
                found.insert(*label, Unrolled::Times(TIMES));
            }
            None => {}
        }
    });
    found
}

/// The end of the loop is a constant, at most so many turns from a start that is likely: the compiler sees how long it is.
fn known_turns(condition: &Expr) -> Option<i64> {
    let ExprKind::Operation { args, .. } = &condition.kind else { return None };
    let end = args.iter().find_map(super::constant)?;
    Some(if end > 0 { end } else { MOST_REGISTERS })
}

/// A thread's own rails that may be in registers.
fn registers(body: &[Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && let ExprKind::AllocateRail { length, .. } = &value.kind
            && super::constant(length).is_some_and(|it| it <= MOST_REGISTERS)
        {
            found.insert(*local);
        }
    });
    found
}

/// Whether an element of one of these rails is chosen by what the loop counts.
fn chooses(body: &[Stmt], update: &[Stmt], registers: &FxHashSet<LocalId>) -> bool {
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
        matches!(rail.kind, ExprKind::Local(local) if registers.contains(&local))
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
fn written_out(body: &[Stmt], times: fn(&StmtKind) -> usize) -> usize {
    let of = |stmt: &Stmt| {
        let mut count = 0;
        for operand in operands(&stmt.kind) {
            visit_expr(operand, None, &mut |_, _| count += 1);
        }
        count += bodies(&stmt.kind).into_iter().map(|it| written_out(it, times)).sum::<usize>();
        count.saturating_mul(times(&stmt.kind))
    };
    body.iter().map(of).sum()
}

/// As often as the program wishes.
fn wished(kind: &StmtKind) -> usize {
    if let StmtKind::Loop { unroll: Some(times), .. } = kind { *times as usize } else { 1 }
}

/// As often as compilers do by themselves.
fn known(kind: &StmtKind) -> usize {
    let StmtKind::Loop { condition, .. } = kind else { return 1 };
    known_turns(condition).and_then(|it| usize::try_from(it).ok()).unwrap_or(1)
}

/// Assignments and conditions, and loops that compilers write out, no more.
fn is_straight(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| {
        let is_plain = match &stmt.kind {
            StmtKind::Set { .. } | StmtKind::Block(_) | StmtKind::If { .. } => true,
            StmtKind::Loop { condition, unroll: None, .. } => {
                known_turns(condition).is_some_and(|it| it <= SHORT)
            }
            _ => false,
        };
        is_plain && bodies(&stmt.kind).into_iter().all(|it| is_straight(it))
    })
}

/// Beside shared memory, only rails in registers may be read.
fn reads_shared_memory(kernel: &Kernel, registers: &FxHashSet<LocalId>, body: &[Stmt]) -> bool {
    let (mut reads, mut others) = (0, false);
    visit_exprs(body, &mut |expr, _| match &expr.kind {
        ExprKind::Element { rail, .. } => {
            let is_shared = matches!(rail.kind, ExprKind::Local(local) if kernel.shared.iter().any(|it| it.local == local));
            let is_own = matches!(rail.kind, ExprKind::Local(local) if registers.contains(&local));
            reads += usize::from(is_shared);
            others |= !is_shared && !is_own;
        }
        ExprKind::Call { .. }
        | ExprKind::Atomic { .. }
        | ExprKind::Together { .. }
        | ExprKind::Runtime { .. } => others = true,
        _ => {}
    });
    reads > 0 && !others && written_out(body, known) <= LARGEST
}
