//! Ranges of induction variables: a local that changes by the same amount in each iteration has the value
//! `first + step * iteration`, and the loop's condition bounds the trip count.

use apg_symbolic::{Comparison, SymExpr, SymRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::evaluate::{strip_widening, type_range};
use super::form::{Assumptions, Form, SymbolId};
use super::refine::as_ordering;
use super::value_key::ValueKey;
use super::{AbstractState, BoundsChecker};
use crate::analysis::jumps::{has_break, has_continue};
use crate::analysis::locals::{collect_assigned, count_assignments, mentions, unconditional_stmts};
use apg_mir::*;

/// A basic induction variable.
struct InductionVariable<'a> {
    /// The assigned value.
    value: &'a Expr,
    local: LocalId,
    ty: Ty,
    first: Form,
    by: SymExpr,
}

/// A comparison that bounds a counter.
struct BoundingTest {
    low: Form,
    high: Form,
    may_be_equal: bool,
    assumptions: Assumptions,
}

/// Maximum of the iteration number, and the assumptions of that bound.
struct TripCount {
    max: SymExpr,
    assumptions: Assumptions,
}

impl<'a> BoundsChecker<'a> {
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
        let counted = SymRange { low: Some(SymExpr::Const(0)), high: None };
        let iteration = self.context.symbol(counted, Assumptions::default());
        self.bind_inductions(&inductions, &iteration);
        let trip_count = self.trip_count(test, &iteration, post_tested, guard);
        let after = match trip_count {
            Some(trip_count) => {
                if let Some(id) = iteration.as_symbol() {
                    self.context.range_of(id).high = Some(trip_count.max);
                }
                let past = self.one_past(trip_count.max, trip_count.assumptions);
                let assumptions = &past.assumptions | &self.no_wrap_assumptions(&inductions, &past);
                self.mark_exact_steps(&inductions, &past, &assumptions);
                let (iteration, past) = (
                    Form { assumptions: assumptions.clone(), ..iteration },
                    Form { assumptions: assumptions.clone(), ..past },
                );
                // The condition is evaluated once more than it holds, even if there is no iteration.
                self.bind_inductions(&inductions, &past);
                if !post_tested {
                    self.visit_expr_accesses(condition);
                }
                self.assume_nonempty(trip_count.max, &assumptions);
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
    fn assume_nonempty(&mut self, max: SymExpr, assumptions: &Assumptions) {
        let SymExpr::Node(_) = max else { return };
        let is_nonempty = self.context.test(Comparison::GreaterEqual, max, 0);
        let is_known = self.context.pool.all(assumptions.conditions());
        let condition = self.context.pool.implies(is_known, is_nonempty);
        self.state.path_conditions.push(condition);
    }

    /// The number of an iteration, or one past the last; zero without iterations.
    fn one_past(&mut self, max: SymExpr, assumptions: Assumptions) -> Form {
        let end = self.context.pool.add(max, SymExpr::Const(1));
        let end = self.context.pool.max(end, SymExpr::Const(0));
        self.context.symbol(SymRange::new(SymExpr::Const(0), end), assumptions)
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
            let Some(by) = form.as_constant() else { continue };
            let by = if minus { self.context.pool.sub(SymExpr::Const(0), by) } else { by };
            let first = Form { assumptions: &first.assumptions | &form.assumptions, ..first };
            found.push(InductionVariable { value, local: *local, ty: value.ty, first, by });
        }
        found
    }

    fn initial_value(&mut self, local: LocalId, ty: Ty) -> Option<Form> {
        self.evaluate_exact(&Expr::new(ty, ExprKind::Local(local))).map(|it| it.0)
    }

    /// Sets the induction variables to their values in an iteration.
    fn bind_inductions(&mut self, inductions: &[InductionVariable<'_>], iteration: &Form) {
        for step in inductions {
            let mut grown = self.context.scale(iteration, step.by);
            grown.assumptions.extend(&iteration.assumptions);
            let mut form = self.context.sum(&step.first, &grown);
            // The assumptions include that it does not wrap.
            form.is_exact = true;
            self.state.values.insert(step.local, form);
        }
    }

    /// Assumptions that induction variables do not wrap up to one step after the last iteration.
    fn no_wrap_assumptions(&mut self, inductions: &[InductionVariable<'_>], past: &Form) -> Assumptions {
        let mut assumptions = Assumptions::default();
        for step in inductions {
            let Some(type_range) = type_range(step.ty) else { continue };
            let grown = self.context.scale(past, step.by);
            let form = self.context.sum(&step.first, &grown);
            let range = self.context.range(&form);
            assumptions.insert(self.assume_in_range(&range, type_range));
        }
        assumptions
    }

    /// The assumption that a range is within limits. Values beyond 64 bits cannot be computed by the host.
    fn assume_in_range(&mut self, range: &SymRange, limits: (i64, i64)) -> SymExpr {
        match self.context.is_within(range, limits) {
            Some(condition) => condition,
            // A 64-bit counter between a guard and its bound does not wrap, whatever its initial value.
            None if limits.1 == i64::MAX => SymExpr::TRUE,
            None => SymExpr::FALSE,
        }
    }

    /// Marks the steps of counters that do not wrap: the C++ compiler then derives the trip count.
    fn mark_exact_steps(
        &mut self,
        inductions: &[InductionVariable<'_>],
        past: &Form,
        assumptions: &Assumptions,
    ) {
        for step in inductions {
            let grown = self.context.scale(past, step.by);
            let form = self.context.sum(&step.first, &grown);
            // If the range exceeds 64 bits, the host rejects the launch.
            let SymRange { low: Some(_), high: Some(_) } = self.context.range(&form) else { continue };
            self.steps_exactly(step.value, &(assumptions | &step.first.assumptions));
        }
    }

    /// Bounds the trip count by a condition that holds before each iteration, or before each but the first.
    fn trip_count(
        &mut self,
        test: &'a Expr,
        iteration: &Form,
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
                BoundingTest { low, high, may_be_equal, assumptions: Assumptions::default() }
            }
            None if is_until => self.counted_until(args, guard?)?,
            None => return None,
        };
        let BoundingTest { low, high, may_be_equal, mut assumptions } = bounding;
        if args.iter().any(|it| strip_widening(it).ty == Ty::U64) {
            return None;
        }
        let gap = self.context.difference(&low, &high);
        let id = iteration.as_symbol()?;
        let (rest, factor) = gap.affine.split_off(&id);
        let factor = factor?;
        if is_until && factor != SymExpr::Const(1) {
            return None;
        }
        let is_growing = self.context.test(Comparison::Greater, factor, 0);
        if is_growing == SymExpr::FALSE {
            return None;
        }
        assumptions.insert(is_growing);
        assumptions.extend(&gap.assumptions);
        // Solves `rest + factor * iteration < 0`, or `<= 0`.
        let rest = Form { affine: rest, ..Form::constant(SymExpr::Const(0)) };
        let least = self.context.range(&rest).low?;
        let room = self.context.pool.sub(SymExpr::Const(if may_be_equal { 0 } else { -1 }), least);
        let mut max = self.context.pool.floor_div(room, factor);
        if post_tested {
            max = self.context.pool.max(max, SymExpr::Const(0));
        }
        self.require_exact_comparison(args, [&low, &high], (id, max), &mut assumptions);
        Some(TripCount { max, assumptions })
    }

    /// Adds the assumptions that the compared values do not wrap, up to the comparison that ends the loop.
    fn require_exact_comparison(
        &mut self,
        args: &[Expr],
        forms: [&Form; 2],
        (iteration, max): (SymbolId, SymExpr),
        assumptions: &mut Assumptions,
    ) {
        let past = self.one_past(max, Assumptions::default());
        let narrowest =
            args.iter().map(|it| strip_widening(it).ty).filter_map(type_range).min_by_key(|it| it.1);
        for form in forms.into_iter().filter(|it| !it.is_exact) {
            let (rest, factor) = form.affine.clone().split_off(&iteration);
            let mut form = Form { affine: rest, ..Form::constant(SymExpr::Const(0)) };
            if let Some(factor) = factor {
                let grown = self.context.scale(&past, factor);
                form = self.context.sum(&form, &grown);
            }
            let range = self.context.range(&form);
            if let Some(limits) = narrowest {
                assumptions.insert(self.assume_in_range(&range, limits));
            }
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
        let is_one = self.context.test(Comparison::Equal, gap.as_constant()?, 1);
        if is_one == SymExpr::FALSE {
            return None;
        }
        assumptions.insert(is_one);
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
            let Some(form) = value_before(before, *local).filter(|it| it.is_exact).cloned() else { continue };
            let SymRange { low: Some(low @ SymExpr::Const(0..)), high: Some(high) } =
                self.context.range(&form)
            else {
                continue;
            };
            let form = match changes.as_slice() {
                [Some(Scaling::Shrink)] => {
                    self.context.symbol(SymRange::new(SymExpr::Const(0), high), form.assumptions)
                }
                [Some(Scaling::Multiply(by))] if assigns_unconditionally(body, update, *local) => {
                    let Some((bound, mut assumptions)) = self.upper_bound(test, *local) else { continue };
                    // Only values up to the bound are multiplied, so nothing wraps.
                    let next = self.context.pool.mul(bound, SymExpr::Const(*by));
                    assumptions.insert(self.context.test(Comparison::LessEqual, next, i64::from(i32::MAX)));
                    assumptions.extend(&form.assumptions);
                    let high = self.context.pool.max(high, next);
                    self.context.symbol(SymRange::new(low, high), assumptions)
                }
                _ => continue,
            };
            self.state.values.insert(*local, form);
        }
    }

    /// Upper bound of a local where a condition holds.
    fn upper_bound(&mut self, test: &'a Expr, local: LocalId) -> Option<(SymExpr, Assumptions)> {
        match &test.kind {
            ExprKind::And(a, b) => self.upper_bound(a, local).or_else(|| self.upper_bound(b, local)),
            ExprKind::Operation { operation, args } => {
                let (a, b, _) = as_ordering(*operation, args, true)?;
                if !matches!(strip_widening(a).kind, ExprKind::Local(id) if id == local) {
                    return None;
                }
                let (form, range) = self.evaluate_exact(b)?;
                Some((range.high?, form.assumptions))
            }
            _ => None,
        }
    }
}

/// Value of a local before a loop, refined by a guard if there is one.
fn value_before<'s>(before: &'s AbstractState<'_>, local: LocalId) -> Option<&'s Form> {
    before.refined.get(&ValueKey::Local(local)).or_else(|| before.values.get(&local))
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
