//! Ranges of locals that a loop permutes: buffer indices in double buffering (`t = a; a = b; b = t`, `a = 1 -
//! a`, `a ^= 1`) and locals that keep a counter's value, such as the row of the largest element.
//!
//! A loop that assigns such locals only each other, counters and constants keeps them in the hull of their
//! initial values, the counters' ranges and the constants.

use apg_symbolic::{SymExpr, SymRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::evaluate::{strip_widening, type_range};
use super::form::{Assumptions, Form};
use super::{AbstractState, BoundsChecker};
use crate::analysis::locals::{collect_assigned, unconditional_stmts};
use apg_mir::*;

/// An assigned value.
enum Source {
    Constant(i64),
    Local(LocalId),
    /// The constant minus the local.
    Mirror(i64, LocalId),
    /// The local with the bits of the constant flipped.
    Flip(i64, LocalId),
}

/// The values that a group of locals may hold.
#[derive(Default)]
struct ValueGroup {
    ranges: Vec<SymRange>,
    mirrors: Vec<i64>,
    flips: Vec<i64>,
    assumptions: Assumptions,
}

impl<'a> BoundsChecker<'a> {
    /// Finds the permuted locals of a loop with their values, valid in and after the loop. `counters` keep
    /// their value throughout an iteration.
    pub(super) fn find_permuted_locals(
        &mut self,
        before: &AbstractState<'a>,
        parts: (&'a [Stmt], &'a [Stmt]),
        changed: &FxHashSet<LocalId>,
        counters: &FxHashMap<LocalId, Form>,
    ) -> Vec<(LocalId, Form)> {
        let mut found = Vec::new();
        for local in changed {
            if counters.contains_key(local) || !before.values.contains_key(local) {
                continue;
            }
            if let Some(group) = self.collect_group(*local, before, parts, (changed, counters))
                && let Some(range) = self.group_range(&group)
            {
                found.push((*local, self.context.symbol(range, group.assumptions)));
            }
        }
        found
    }

    /// Range of a group, if it is closed under mirroring and flipping.
    fn group_range(&mut self, group: &ValueGroup) -> Option<SymRange> {
        if group.mirrors.is_empty() && group.flips.is_empty() {
            let mut ranges = group.ranges.iter();
            let first = *ranges.next()?;
            let all = ranges.fold(first, |all, range| self.context.hull(&all, range));
            return matches!(all, SymRange { low: Some(_), high: Some(_) }).then_some(all);
        }
        let (low, high) = group.closed_range()?;
        Some(SymRange::new(SymExpr::Const(low), SymExpr::Const(high)))
    }

    /// Collects a local and all locals it gets its values from.
    fn collect_group(
        &mut self,
        local: LocalId,
        before: &AbstractState<'a>,
        (body, update): (&'a [Stmt], &'a [Stmt]),
        (changed, counters): (&FxHashSet<LocalId>, &FxHashMap<LocalId, Form>),
    ) -> Option<ValueGroup> {
        let mut group = ValueGroup::default();
        let mut members = vec![local];
        let mut next = 0;
        while let Some(member) = members.get(next).copied() {
            next += 1;
            let counts = counters.contains_key(&member);
            let known = match counts {
                true => counters.get(&member).cloned(),
                false => before.values.get(&member).cloned(),
            };
            match known {
                Some(form) if form.is_exact => {
                    let range = self.context.range(&form);
                    group.ranges.push(range);
                    group.assumptions.extend(&form.assumptions);
                }
                // A local that is local to the iteration.
                None if is_set_before_read(body, member) => {}
                _ => return None,
            }
            if counts || !changed.contains(&member) {
                continue;
            }
            let mut sources = Some(Vec::new());
            let mut of_body = 0;
            for part in [body, update] {
                walk::visit_stmts(part, &mut |stmt| match &stmt.kind {
                    StmtKind::Set { local, value } if *local == member => {
                        sources = sources.take().and_then(|it| collect_sources(value, it));
                    }
                    StmtKind::SetStructField { local, .. } if *local == member => sources = None,
                    _ => {}
                });
                if std::ptr::eq(part, body) {
                    of_body = sources.as_ref().map_or(0, Vec::len);
                }
            }
            // In the update a counter may exceed its last value: `i++, j = i`.
            let is_beyond = |source: &Source| match source {
                Source::Constant(_) => false,
                Source::Local(from) | Source::Mirror(_, from) | Source::Flip(_, from) => {
                    counters.contains_key(from)
                }
            };
            let sources = sources?;
            if sources[of_body..].iter().any(is_beyond) {
                return None;
            }
            for source in sources {
                let from = match source {
                    Source::Constant(value) => {
                        group.ranges.push(SymRange::constant(SymExpr::Const(value)));
                        continue;
                    }
                    Source::Local(from) => from,
                    Source::Mirror(by, from) => {
                        group.mirrors.push(by);
                        from
                    }
                    Source::Flip(by, from) => {
                        group.flips.push(by);
                        from
                    }
                };
                if !members.contains(&from) {
                    members.push(from);
                }
            }
        }
        Some(group)
    }
}

impl ValueGroup {
    /// Range of a group, closed under mirroring and flipping.
    fn closed_range(&self) -> Option<(i64, i64)> {
        // Far from the limits of every type, so that nothing wraps.
        const MAX_MAGNITUDE: i64 = 1 << 24;
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for range in &self.ranges {
            let SymRange { low: Some(SymExpr::Const(first)), high: Some(SymExpr::Const(last)) } = *range
            else {
                return None;
            };
            (low, high) = (low.min(first), high.max(last));
        }
        for by in &self.flips {
            (low, high) = (low.min(0), high.max(*by));
        }
        for by in &self.mirrors {
            (low, high) = (low.min(by.checked_sub(high)?), high.max(by.checked_sub(low)?));
        }
        if low > high || low < -MAX_MAGNITUDE || high > MAX_MAGNITUDE {
            return None;
        }
        if !self.flips.is_empty() {
            if low < 0 || self.flips.iter().any(|it| *it < 0) {
                return None;
            }
            high = (high as u64 + 1).next_power_of_two() as i64 - 1;
        }
        self.mirrors.iter().all(|by| by - high >= low && by - low <= high).then_some((low, high))
    }
}

/// Appends the possible sources of a value; `None` if it has another form.
fn collect_sources(value: &Expr, mut into: Vec<Source>) -> Option<Vec<Source>> {
    type_range(value.ty)?;
    let of = |expr: &Expr| match strip_widening(expr).kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    };
    match &strip_widening(value).kind {
        ExprKind::Int(number) => into.push(Source::Constant(*number)),
        ExprKind::Local(local) => into.push(Source::Local(*local)),
        ExprKind::Select { then, otherwise, .. } => {
            return collect_sources(otherwise, collect_sources(then, into)?);
        }
        ExprKind::Operation { operation, args } => {
            let [a, b] = args.as_slice() else { return None };
            into.push(match (operation, &a.kind, &b.kind) {
                (Operation::Sub, ExprKind::Int(number), _) => Source::Mirror(*number, of(b)?),
                (Operation::Xor, ExprKind::Int(number), _) => Source::Flip(*number, of(b)?),
                (Operation::Xor, _, ExprKind::Int(number)) => Source::Flip(*number, of(a)?),
                _ => return None,
            });
        }
        _ => return None,
    }
    Some(into)
}

/// Whether every iteration assigns the local before it reads it.
fn is_set_before_read(body: &[Stmt], local: LocalId) -> bool {
    let mut all = Vec::new();
    unconditional_stmts(body, &mut all);
    for stmt in all {
        let one = std::slice::from_ref(stmt);
        let mut reads = false;
        walk::visit_exprs(one, &mut |it, _| reads |= matches!(it.kind, ExprKind::Local(id) if id == local));
        match &stmt.kind {
            _ if reads => return false,
            StmtKind::Set { local: id, .. } if *id == local => return true,
            _ => {
                let mut sets = FxHashSet::default();
                collect_assigned(one, &mut sets);
                if sets.contains(&local) {
                    return false;
                }
            }
        }
    }
    false
}
