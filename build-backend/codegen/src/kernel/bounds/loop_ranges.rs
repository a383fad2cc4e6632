//! Ranges of induction variables: a local that changes by the same amount in each iteration has the value
//! `first + step * iteration`, and the loop's condition bounds the trip count.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::evaluate::{expr_key, strip_widening, type_range};
use super::refine::as_ordering;
use super::symbolic::{Affine, AssumptionId, Range, SymInt, SymbolId};
use super::{AbstractState, BoundsChecker};
use apg_mir::*;
use apg_passes::kernel::jumps::{has_break, has_continue};
use apg_passes::kernel::locals::{collect_assigned, count_assignments, mentions, unconditional_stmts};

/// A basic induction variable.
struct InductionVariable<'a> {
    /// The assigned value.
    value: &'a Expr,
    local: LocalId,
    ty: Ty,
    first: Affine,
    by: SymInt,
}

/// A comparison that bounds a counter.
struct BoundingTest {
    low: Affine,
    high: Affine,
    may_be_equal: bool,
    assumptions: BTreeSet<AssumptionId>,
}

/// Maximum of the iteration number, and the assumptions of that bound.
struct TripCount {
    max: SymInt,
    assumptions: BTreeSet<AssumptionId>,
}

impl<'a> BoundsChecker<'_, 'a> {
    /// Interprets a loop; `guard` held just before the first iteration of a post-tested one.
    pub(super) fn visit_loop(
        &mut self,
        label: LabelId,
        condition: &'a Expr,
        (body, update): (&'a [Stmt], &'a [Stmt]),
        post_tested: bool,
        guard: Option<&'a Expr>,
    ) {
        let before = self.state.clone();
        let mut changed = FxHashSet::default();
        collect_assigned(body, &mut changed);
        collect_assigned(update, &mut changed);
        let inductions = self.find_inductions(label, (body, update), &changed);
        let test = if post_tested { exit_test(condition, body, update) } else { condition };
        // The state of every iteration: locals that change otherwise are unknown.
        self.invalidate(&changed);
        let iteration = self.context.symbol((Some(SymInt::Const(0)), None), Default::default());
        self.bind_inductions(&inductions, &iteration);
        let trip_count = self.trip_count(test, &iteration, post_tested, guard);
        let after = match trip_count {
            Some(trip_count) => {
                let id = iteration.terms.keys().next().copied().unwrap_or_default();
                self.context.range_of(id).1 = Some(trip_count.max.clone());
                let end = self.context.add(&trip_count.max, &SymInt::Const(1));
                let end = self.context.max(&end, &SymInt::Const(0));
                let past = self.context.symbol((Some(SymInt::Const(0)), Some(end)), trip_count.assumptions);
                let assumptions = &past.assumptions | &self.no_wrap_assumptions(&inductions, &past);
                self.mark_exact_steps(&inductions, &past, &assumptions);
                let (iteration, past) = (
                    Affine { assumptions: assumptions.clone(), ..iteration },
                    Affine { assumptions: assumptions.clone(), ..past },
                );
                // The condition is evaluated once more than it holds, even if there is no iteration.
                self.bind_inductions(&inductions, &past);
                if !post_tested {
                    self.visit_expr_accesses(condition);
                }
                self.assume_nonempty(&trip_count.max, &assumptions);
                self.bind_inductions(&inductions, &iteration);
                Some(past)
            }
            None => {
                self.invalidate(&changed);
                if !post_tested {
                    self.visit_expr_accesses(condition);
                    self.bind_monotone(&before, test, (body, update), &changed);
                }
                None
            }
        };
        if !post_tested {
            self.assume(condition, true);
        } else if let Some(guard) = guard.filter(|_| after.is_some() && is_until(test)) {
            // A counter that is incremented up to the bound is at most the guard's bound in each iteration.
            self.assume(guard, true);
        }
        // Inductions that only the update assigns have the iteration's value throughout the body.
        let mut counters = FxHashMap::default();
        for step in inductions.iter().filter(|it| after.is_some() && count_assignments(body, it.local) == 0) {
            counters.extend(self.initial_value(step.local, step.ty).map(|form| (step.local, form)));
        }
        let permuted = self.find_permuted_locals(&before, (body, update), &changed, &counters);
        self.state.values.extend(permuted.iter().cloned());
        let head = self.state.clone();
        if !self.visit_stmts(body) || has_continue(body, label) {
            self.rejoin(head, body);
        }
        self.visit_stmts(update);
        if post_tested {
            self.visit_expr_accesses(condition);
        }
        self.state = before;
        self.invalidate(&changed);
        for (local, form) in permuted {
            // After the loop the value is in the same range, not that of an iteration.
            let range = self.context.range(&form);
            let form = self.context.symbol(range, form.assumptions);
            self.state.values.insert(local, form);
        }
        if let Some(past) = after {
            self.bind_inductions(&inductions, &past);
        }
        if !has_break(body, label) && !post_tested {
            self.assume(condition, false);
        }
    }

    /// Assumes that there is an iteration: if the host finds that there is none, no access inside is
    /// executed.
    fn assume_nonempty(&mut self, max: &SymInt, assumptions: &BTreeSet<AssumptionId>) {
        let SymInt::Expr(max) = max else { return };
        let mut text = format!("{max} >= 0");
        for assumption in assumptions {
            text.push_str(&format!(" || !q{assumption}"));
        }
        let assumption = self.context.assumption(text);
        self.state.path_conditions.push(format!("q{assumption}"));
    }

    /// Finds the induction variables and their initial values.
    fn find_inductions(
        &mut self,
        label: LabelId,
        (body, update): (&'a [Stmt], &'a [Stmt]),
        changed: &FxHashSet<LocalId>,
    ) -> Vec<InductionVariable<'a>> {
        let (mut always, mut found) = (Vec::new(), Vec::new());
        if !has_continue(body, label) {
            unconditional_stmts(body, &mut always);
        }
        unconditional_stmts(update, &mut always);
        for stmt in &always {
            let StmtKind::Set { local, value } = &stmt.kind else { continue };
            if count_assignments(body, *local) + count_assignments(update, *local) != 1 {
                continue;
            }
            let Some((by, minus)) = as_step(value, *local) else { continue };
            let mut reads_changed = false;
            walk::visit_expr(by, None, &mut |it, _| {
                reads_changed |= matches!(it.kind, ExprKind::Local(id) if changed.contains(&id));
            });
            // Evaluated without guards: terms shared with the loop's bound must cancel out.
            let uses_guards = std::mem::replace(&mut self.uses_guards, false);
            let plain = self.initial_value(*local, value.ty);
            self.uses_guards = uses_guards;
            let first = plain.or_else(|| self.initial_value(*local, value.ty));
            let (Some(first), false) = (first, reads_changed) else { continue };
            let Some((form, _)) = self.evaluate_exact(by) else { continue };
            let Some(by) = form.as_constant().cloned() else { continue };
            let by = if minus { self.context.sub(&SymInt::Const(0), &by) } else { by };
            let first = Affine { assumptions: &first.assumptions | &form.assumptions, ..first };
            found.push(InductionVariable { value, local: *local, ty: value.ty, first, by });
        }
        found
    }

    fn initial_value(&mut self, local: LocalId, ty: Ty) -> Option<Affine> {
        self.evaluate_exact(&Expr::new(ty, ExprKind::Local(local))).map(|it| it.0)
    }

    /// Sets the induction variables to their values in an iteration.
    fn bind_inductions(&mut self, inductions: &[InductionVariable<'_>], iteration: &Affine) {
        for step in inductions {
            let mut grown = self.context.scale(iteration, &step.by);
            grown.assumptions.extend(&iteration.assumptions);
            let mut form = self.context.sum(&step.first, &grown);
            // The assumptions include that it does not wrap.
            form.exact = true;
            self.state.values.insert(step.local, form);
        }
    }

    /// Assumptions that induction variables do not wrap up to one step after the last iteration.
    fn no_wrap_assumptions(
        &mut self,
        inductions: &[InductionVariable<'_>],
        past: &Affine,
    ) -> BTreeSet<AssumptionId> {
        let mut assumptions = BTreeSet::new();
        for step in inductions {
            let Some(type_range) = type_range(step.ty) else { continue };
            let grown = self.context.scale(past, &step.by);
            let form = self.context.sum(&step.first, &grown);
            let range = self.context.range(&form);
            assumptions.extend(self.assume_in_range(range, type_range));
        }
        assumptions
    }

    /// Assumption that a range is within limits; `None` if that is known. Values beyond 64 bits cannot be
    /// computed by the host.
    fn assume_in_range(&mut self, range: Range, (least, max): (i64, i64)) -> Option<AssumptionId> {
        let text = match range {
            (Some(SymInt::Const(low)), Some(SymInt::Const(high))) if low >= least && high <= max => {
                return None;
            }
            (Some(low), Some(high)) => {
                format!("{} >= {} && {} <= {max}LL", low.text(), SymInt::Const(least).text(), high.text())
            }
            // A 64-bit counter between a guard and its bound does not wrap, whatever its initial value.
            _ if max == i64::MAX => return None,
            _ => "false".into(),
        };
        Some(self.context.assumption(text))
    }

    /// Marks the steps of counters that do not wrap: the C++ compiler then derives the trip count.
    fn mark_exact_steps(
        &mut self,
        inductions: &[InductionVariable<'_>],
        past: &Affine,
        assumptions: &BTreeSet<AssumptionId>,
    ) {
        for step in inductions {
            let grown = self.context.scale(past, &step.by);
            let form = self.context.sum(&step.first, &grown);
            // If the range exceeds 64 bits, the host rejects the launch.
            let (Some(_), Some(_)) = self.context.range(&form) else { continue };
            self.steps_exactly(step.value, &(assumptions | &step.first.assumptions));
        }
    }

    /// Bounds the trip count by a condition that holds before each iteration, or before each but the first.
    fn trip_count(
        &mut self,
        test: &'a Expr,
        iteration: &Affine,
        post_tested: bool,
        guard: Option<&'a Expr>,
    ) -> Option<TripCount> {
        let ExprKind::Operation { operation, args } = &test.kind else {
            let ExprKind::And(a, b) = &test.kind else { return None };
            return match self.trip_count(a, iteration, post_tested, None) {
                Some(trip_count) => Some(trip_count),
                None => self.trip_count(b, iteration, post_tested, None),
            };
        };
        let is_until = *operation == Operation::Ne;
        let bounding = match as_ordering(*operation, args, true) {
            Some((a, b, may_be_equal)) => {
                let (low, high) = (self.evaluate(a)?, self.evaluate(b)?);
                BoundingTest { low, high, may_be_equal, assumptions: BTreeSet::new() }
            }
            None if is_until => self.counted_until(args, guard?)?,
            None => return None,
        };
        let BoundingTest { low, high, may_be_equal, mut assumptions } = bounding;
        if args.iter().any(|it| strip_widening(it).ty == Ty::U64) {
            return None;
        }
        let gap = self.context.difference(&low, &high);
        let id = iteration.terms.keys().next().copied()?;
        let mut rest = gap.clone();
        let factor = rest.terms.remove(&id)?;
        match &factor {
            SymInt::Const(1) => {}
            _ if is_until => return None,
            SymInt::Const(2..) => {}
            SymInt::Const(_) => return None,
            SymInt::Expr(text) => {
                let text = format!("{text} > 0");
                assumptions.insert(self.context.assumption(text));
            }
        }
        // Solves `rest + factor * iteration < 0`, or `<= 0`.
        let least = self.context.range(&rest).0?;
        let room = self.context.sub(&SymInt::Const(if may_be_equal { 0 } else { -1 }), &least);
        let mut max = self.context.floor_div(&room, &factor);
        if post_tested {
            max = self.context.max(&max, &SymInt::Const(0));
        }
        assumptions.extend(&gap.assumptions);
        self.require_exact_comparison(args, [&low, &high], (id, &max), &mut assumptions);
        Some(TripCount { max, assumptions })
    }

    /// Adds the assumptions that the compared values do not wrap, up to the comparison that ends the loop.
    fn require_exact_comparison(
        &mut self,
        args: &[Expr],
        forms: [&Affine; 2],
        (iteration, max): (SymbolId, &SymInt),
        assumptions: &mut BTreeSet<AssumptionId>,
    ) {
        let end = self.context.add(max, &SymInt::Const(1));
        let end = self.context.max(&end, &SymInt::Const(0));
        let past = self.context.symbol((Some(SymInt::Const(0)), Some(end)), BTreeSet::new());
        let narrowest =
            args.iter().map(|it| strip_widening(it).ty).filter_map(type_range).min_by_key(|it| it.1);
        for form in forms.into_iter().filter(|it| !it.exact) {
            let mut form = form.clone();
            if let Some(factor) = form.terms.remove(&iteration) {
                let grown = self.context.scale(&past, &factor);
                form = self.context.sum(&form, &grown);
            }
            let range = self.context.range(&form);
            assumptions.extend(narrowest.and_then(|type_range| self.assume_in_range(range, type_range)));
        }
    }

    /// Bounds of a loop that is entered if `i <= last` and ends with `i != end`, where `end == last + 1`.
    fn counted_until(&mut self, args: &'a [Expr], guard: &'a Expr) -> Option<BoundingTest> {
        let ExprKind::Operation { operation, args: guarded } = &guard.kind else { return None };
        let (start, last, true) = as_ordering(*operation, guarded, true)? else { return None };
        let [counter, end] = args else { return None };
        let (ExprKind::Local(a), ExprKind::Local(b)) =
            (&strip_widening(counter).kind, &strip_widening(start).kind)
        else {
            return None;
        };
        if a != b {
            return None;
        }
        // Evaluated without guards: the guard refines the last value, which would no longer cancel out.
        let uses_guards = std::mem::replace(&mut self.uses_guards, false);
        let values = self.evaluate_exact(end).zip(self.evaluate_exact(last));
        self.uses_guards = uses_guards;
        let ((end, _), (last, _)) = values?;
        let gap = self.context.difference(&end, &last);
        let mut assumptions = &end.assumptions | &last.assumptions;
        match gap.as_constant()? {
            SymInt::Const(1) => {}
            SymInt::Const(_) => return None,
            SymInt::Expr(text) => {
                let text = format!("{text} == 1");
                assumptions.insert(self.context.assumption(text));
            }
        }
        let low = self.evaluate(counter)?;
        Some(BoundingTest { low, high: last, may_be_equal: true, assumptions })
    }

    /// Bounds locals that only shrink towards zero (`i /= 2`, `i >>= 1`), or only grow up to a bound (`i *=
    /// 2`).
    fn bind_monotone(
        &mut self,
        before: &AbstractState<'a>,
        test: &'a Expr,
        (body, update): (&'a [Stmt], &'a [Stmt]),
        changed: &FxHashSet<LocalId>,
    ) {
        for local in changed {
            let mut changes = Vec::new();
            for part in [body, update] {
                walk::visit_stmts(part, &mut |stmt| match &stmt.kind {
                    StmtKind::Set { local: id, value } if id == local => {
                        changes.push(as_scaling(value, *local))
                    }
                    StmtKind::SetStructField { local: id, .. } if id == local => changes.push(None),
                    _ => {}
                });
            }
            let Some(form) = value_before(before, *local).filter(|it| it.exact).cloned() else { continue };
            let (Some(low @ SymInt::Const(0..)), Some(high)) = self.context.range(&form) else { continue };
            let form = match changes.as_slice() {
                [Some(Scaling::Shrink)] => {
                    self.context.symbol((Some(SymInt::Const(0)), Some(high)), form.assumptions)
                }
                [Some(Scaling::Multiply(by))] if assigns_unconditionally(body, update, *local) => {
                    let Some((bound, mut assumptions)) = self.upper_bound(test, *local) else { continue };
                    // Only values up to the bound are multiplied, so nothing wraps.
                    let next = self.context.mul(&bound, &SymInt::Const(*by));
                    let max = type_range(Ty::I32).map_or(0, |it| it.1);
                    assumptions.insert(self.context.assumption(format!("{} <= {max}LL", next.text())));
                    assumptions.extend(&form.assumptions);
                    let high = self.context.max(&high, &next);
                    self.context.symbol((Some(low), Some(high)), assumptions)
                }
                _ => continue,
            };
            self.state.values.insert(*local, form);
        }
    }

    /// Upper bound of a local where a condition holds.
    fn upper_bound(&mut self, test: &'a Expr, local: LocalId) -> Option<(SymInt, BTreeSet<AssumptionId>)> {
        match &test.kind {
            ExprKind::And(a, b) => self.upper_bound(a, local).or_else(|| self.upper_bound(b, local)),
            ExprKind::Operation { operation, args } => {
                let (a, b, _) = as_ordering(*operation, args, true)?;
                if !matches!(strip_widening(a).kind, ExprKind::Local(id) if id == local) {
                    return None;
                }
                let (form, (_, high)) = self.evaluate_exact(b)?;
                Some((high?, form.assumptions))
            }
            _ => None,
        }
    }
}

/// Value of a local before a loop, refined by a guard if there is one.
fn value_before<'s>(before: &'s AbstractState<'_>, local: LocalId) -> Option<&'s Affine> {
    let name = expr_key(&Expr::new(Ty::I64, ExprKind::Local(local)));
    before.refined.get(&name).or_else(|| before.values.get(&local))
}

/// Whether a condition is `i != end`.
fn is_until(test: &Expr) -> bool {
    matches!(test.kind, ExprKind::Operation { operation: Operation::Ne, .. })
}

/// Whether each iteration assigns the local once, unconditionally.
fn assigns_unconditionally(body: &[Stmt], update: &[Stmt], local: LocalId) -> bool {
    let mut all = Vec::new();
    unconditional_stmts(body, &mut all);
    unconditional_stmts(update, &mut all);
    all.iter().any(|it| matches!(&it.kind, StmtKind::Set { local: id, .. } if *id == local))
}

/// How an assignment scales a non-negative local.
enum Scaling {
    /// By division.
    Shrink,
    /// By multiplication.
    Multiply(i64),
}

/// `by` of `local + by` or `local - by`, and whether it is subtracted.
fn as_step(value: &Expr, local: LocalId) -> Option<(&Expr, bool)> {
    let ExprKind::Operation { operation, args } = &value.kind else { return None };
    let is_counter = |it: &Expr| matches!(strip_widening(it).kind, ExprKind::Local(id) if id == local);
    match (operation, args.as_slice()) {
        // A counter that is narrower than its type is truncated after each step.
        (Operation::Convert, [inner]) => as_step(inner, local).filter(|_| inner.ty == Ty::I64),
        (Operation::Add, [a, b]) if is_counter(a) => Some((b, false)),
        (Operation::Add, [a, b]) if is_counter(b) => Some((a, false)),
        (Operation::Sub, [a, b]) if is_counter(a) => Some((b, true)),
        _ => None,
    }
}

fn as_scaling(value: &Expr, local: LocalId) -> Option<Scaling> {
    let ExprKind::Operation { operation, args } = &value.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let is_local = |it: &Expr| matches!(it.kind, ExprKind::Local(id) if id == local);
    match (operation, &b.kind) {
        (Operation::Div, ExprKind::Int(1..)) | (Operation::Shr, ExprKind::Int(0..=62)) if is_local(a) => {
            Some(Scaling::Shrink)
        }
        (Operation::Mul, ExprKind::Int(by @ 1..=65536)) if is_local(a) => Some(Scaling::Multiply(*by)),
        (Operation::Mul, ExprKind::Local(_)) if is_local(b) => match a.kind {
            ExprKind::Int(by @ 1..=65536) => Some(Scaling::Multiply(by)),
            _ => None,
        },
        (Operation::Shl, ExprKind::Int(count @ 0..=16)) if is_local(a) => Some(Scaling::Multiply(1 << count)),
        (Operation::Add, ExprKind::Local(_)) if is_local(a) && is_local(b) => Some(Scaling::Multiply(2)),
        _ => None,
    }
}

/// The exit condition of a post-tested loop: a boolean local stands for its value.
fn exit_test<'a>(condition: &'a Expr, body: &'a [Stmt], update: &'a [Stmt]) -> &'a Expr {
    let ExprKind::Local(local) = condition.kind else { return condition };
    if count_assignments(body, local) + count_assignments(update, local) != 1 {
        return condition;
    }
    let mut all = Vec::new();
    unconditional_stmts(body, &mut all);
    unconditional_stmts(update, &mut all);
    let Some(at) =
        all.iter().position(|it| matches!(&it.kind, StmtKind::Set { local: id, .. } if *id == local))
    else {
        return condition;
    };
    let StmtKind::Set { value, .. } = &all[at].kind else { return condition };
    let mut later = FxHashSet::default();
    for stmt in &all[at + 1..] {
        collect_assigned(std::slice::from_ref(*stmt), &mut later);
    }
    if later.iter().any(|it| mentions(value, *it)) { condition } else { value }
}
