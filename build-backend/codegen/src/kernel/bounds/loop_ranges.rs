//! Loops: locals that change by the same amount in each turn are `first + step * turn`, and the condition bounds the turns.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::evaluate::{key, limits, plain};
use super::interpret::{continues, leaves};
use super::refine::ordered;
use super::symbolic::{AtomId, FactId, Form, Num, Range};
use super::{Prover, State};
use apg_mir::*;

/// Locals that statements assign.
pub fn assigned(body: &[Stmt], into: &mut FxHashSet<LocalId>) {
    walk::visit_stmts(body, &mut |stmt| {
        if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &stmt.kind {
            into.insert(*local);
        }
    });
}

/// Whether an expression reads a local.
pub fn mentions(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    walk::visit_expr(expr, None, &mut |it, _| found |= matches!(it.kind, ExprKind::Local(id) if id == local));
    found
}

/// Statements that every turn executes, blocks opened.
pub fn straight<'a>(body: &'a [Stmt], into: &mut Vec<&'a Stmt>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Block(inner) => straight(inner, into),
            _ => into.push(stmt),
        }
    }
}

/// A local that each turn changes by the same amount.
struct Step<'a> {
    /// The value of the assignment.
    value: &'a Expr,
    local: LocalId,
    ty: Ty,
    first: Form,
    by: Num,
}

/// How often a loop is run: turns after the first, and what that rests on.
struct Turns {
    most: Num,
    facts: BTreeSet<FactId>,
}

impl<'a> Prover<'_, 'a> {
    /// A loop; `guard` held just before the first turn of one that is tested last.
    pub fn repeat(
        &mut self,
        label: LabelId,
        condition: &'a Expr,
        (body, update): (&'a [Stmt], &'a [Stmt]),
        post_tested: bool,
        guard: Option<&'a Expr>,
    ) {
        let before = self.state.clone();
        let mut changed = FxHashSet::default();
        assigned(body, &mut changed);
        assigned(update, &mut changed);
        let steps = self.steps(label, (body, update), &changed);
        let test = if post_tested { last_test(condition, body, update) } else { condition };
        // What holds in every turn, the locals that change in unknown ways unknown.
        self.forget(&changed);
        let turn = self.book.atom((Some(Num::Known(0)), None), Default::default());
        self.enter(&steps, &turn);
        let turns = self.turns(test, &turn, post_tested, guard);
        let after = match turns {
            Some(turns) => {
                let id = turn.terms.keys().next().copied().unwrap_or_default();
                self.book.range_of(id).1 = Some(turns.most.clone());
                let end = self.book.add(&turns.most, &Num::Known(1));
                let end = self.book.max(&end, &Num::Known(0));
                let past = self.book.atom((Some(Num::Known(0)), Some(end)), turns.facts);
                let facts = &past.facts | &self.no_wrap(&steps, &past);
                self.without_wrapping(&steps, &past, &facts);
                let (turn, past) =
                    (Form { facts: facts.clone(), ..turn }, Form { facts: facts.clone(), ..past });
                // The condition is also evaluated once more than it holds, also where there is no turn.
                self.enter(&steps, &past);
                if !post_tested {
                    self.accesses(condition);
                }
                self.may_be_empty(&turns.most, &facts);
                self.enter(&steps, &turn);
                Some(past)
            }
            None => {
                self.forget(&changed);
                if !post_tested {
                    self.accesses(condition);
                    self.monotone(&before, test, (body, update), &changed);
                }
                None
            }
        };
        if !post_tested {
            self.assume(condition, true);
        } else if let Some(guard) = guard.filter(|_| after.is_some() && is_until(test)) {
            // A counter that goes up by one to just behind the last value is at most that in each turn.
            self.assume(guard, true);
        }
        // Those that have the value of the turn until its end.
        let mut counters = FxHashMap::default();
        for step in steps.iter().filter(|it| after.is_some() && count(body, it.local) == 0) {
            counters.extend(self.first(step.local, step.ty).map(|form| (step.local, form)));
        }
        let swapped = self.taking_turns(&before, (body, update), &changed, &counters);
        self.state.values.extend(swapped.iter().cloned());
        let head = self.state.clone();
        if !self.stmts(body) || continues(body, label) {
            self.rejoin(head, body);
        }
        self.stmts(update);
        if post_tested {
            self.accesses(condition);
        }
        self.state = before;
        self.forget(&changed);
        for (local, form) in swapped {
            // Not the value of a turn, but of the same range.
            let range = self.book.range(&form);
            let form = self.book.atom(range, form.facts);
            self.state.values.insert(local, form);
        }
        if let Some(past) = after {
            self.enter(&steps, &past);
        }
        if !leaves(body, label) && !post_tested {
            self.assume(condition, false);
        }
    }

    /// Inside the loop there is a turn: where the host sees that there is none, nothing inside matters.
    fn may_be_empty(&mut self, most: &Num, facts: &BTreeSet<FactId>) {
        let Num::Text(most) = most else { return };
        let mut text = format!("{most} >= 0");
        for fact in facts {
            text.push_str(&format!(" || !q{fact}"));
        }
        let fact = self.book.fact(text);
        self.state.path.push(format!("q{fact}"));
    }

    /// The locals that step, with their values before the loop.
    fn steps(
        &mut self,
        label: LabelId,
        (body, update): (&'a [Stmt], &'a [Stmt]),
        changed: &FxHashSet<LocalId>,
    ) -> Vec<Step<'a>> {
        let (mut always, mut found) = (Vec::new(), Vec::new());
        if !continues(body, label) {
            straight(body, &mut always);
        }
        straight(update, &mut always);
        for stmt in &always {
            let StmtKind::Set { local, value } = &stmt.kind else { continue };
            if count(body, *local) + count(update, *local) != 1 {
                continue;
            }
            let Some((by, minus)) = step(value, *local) else { continue };
            let mut reads_changed = false;
            walk::visit_expr(by, None, &mut |it, _| {
                reads_changed |= matches!(it.kind, ExprKind::Local(id) if changed.contains(&id));
            });
            // By itself rather than by its guard: what it shares with the bound of the loop counts.
            let narrowed = std::mem::replace(&mut self.narrowed, false);
            let plain = self.first(*local, value.ty);
            self.narrowed = narrowed;
            let first = plain.or_else(|| self.first(*local, value.ty));
            let (Some(first), false) = (first, reads_changed) else { continue };
            let Some((form, _)) = self.exact(by) else { continue };
            let Some(by) = form.as_point().cloned() else { continue };
            let by = if minus { self.book.sub(&Num::Known(0), &by) } else { by };
            let first = Form { facts: &first.facts | &form.facts, ..first };
            found.push(Step { value, local: *local, ty: value.ty, first, by });
        }
        found
    }

    fn first(&mut self, local: LocalId, ty: Ty) -> Option<Form> {
        self.exact(&Expr { ty, kind: ExprKind::Local(local), position: None }).map(|it| it.0)
    }

    /// The locals that step have their values of a turn.
    fn enter(&mut self, steps: &[Step<'_>], turn: &Form) {
        for step in steps {
            let mut grown = self.book.scale(turn, &step.by);
            grown.facts.extend(&turn.facts);
            let mut form = self.book.sum(&step.first, &grown);
            // That it does not wrap is one of the facts.
            form.exact = true;
            self.state.values.insert(step.local, form);
        }
    }

    /// The condition that locals do not wrap up to the turn after the last.
    fn no_wrap(&mut self, steps: &[Step<'_>], past: &Form) -> BTreeSet<FactId> {
        let mut facts = BTreeSet::new();
        for step in steps {
            let Some(limits) = limits(step.ty) else { continue };
            let grown = self.book.scale(past, &step.by);
            let form = self.book.sum(&step.first, &grown);
            let range = self.book.range(&form);
            facts.extend(self.within(range, limits));
        }
        facts
    }

    /// The condition that a range is within limits; none if that is known. Beyond 64 bits, the numbers themselves cannot be computed.
    fn within(&mut self, range: Range, (least, most): (i64, i64)) -> Option<FactId> {
        let text = match range {
            (Some(Num::Known(low)), Some(Num::Known(high))) if low >= least && high <= most => return None,
            (Some(low), Some(high)) => {
                format!("{} >= {} && {} <= {most}LL", low.text(), Num::Known(least).text(), high.text())
            }
            // Between a guard and its bound a counter of 64 bits is not seen to wrap, wherever it starts.
            _ if most == i64::MAX => return None,
            _ => "false".into(),
        };
        Some(self.book.fact(text))
    }

    /// The steps of a loop whose counters do not wrap: a compiler that is told so knows how often the loop is run.
    fn without_wrapping(&mut self, steps: &[Step<'_>], past: &Form, facts: &BTreeSet<FactId>) {
        for step in steps {
            let grown = self.book.scale(past, &step.by);
            let form = self.book.sum(&step.first, &grown);
            // Where that takes more than 64 bits, the host says no.
            let (Some(_), Some(_)) = self.book.range(&form) else { continue };
            self.steps_exactly(step.value, &(facts | &step.first.facts));
        }
    }

    /// Bounds the turns by a condition that holds before each, or before each but the first.
    fn turns(
        &mut self,
        test: &'a Expr,
        turn: &Form,
        post_tested: bool,
        guard: Option<&'a Expr>,
    ) -> Option<Turns> {
        let ExprKind::Operation { operation, args } = &test.kind else {
            let ExprKind::And(a, b) = &test.kind else { return None };
            return match self.turns(a, turn, post_tested, None) {
                Some(turns) => Some(turns),
                None => self.turns(b, turn, post_tested, None),
            };
        };
        let is_until = *operation == Operation::Ne;
        let (low, high, equal, mut facts) = match ordered(*operation, args, true) {
            Some((a, b, equal)) => (self.value(a)?, self.value(b)?, equal, BTreeSet::new()),
            None if is_until => self.until(args, guard?)?,
            None => return None,
        };
        if args.iter().any(|it| plain(it).ty == Ty::U64) {
            return None;
        }
        let gap = self.book.difference(&low, &high);
        let id = turn.terms.keys().next().copied()?;
        let mut rest = gap.clone();
        let factor = rest.terms.remove(&id)?;
        match &factor {
            Num::Known(1) => {}
            _ if is_until => return None,
            Num::Known(2..) => {}
            Num::Known(_) => return None,
            Num::Text(text) => {
                let text = format!("{text} > 0");
                facts.insert(self.book.fact(text));
            }
        }
        // rest + factor * turn < 0, or <= 0.
        let least = self.book.range(&rest).0?;
        let room = self.book.sub(&Num::Known(if equal { 0 } else { -1 }), &least);
        let mut most = self.book.floor(&room, &factor);
        if post_tested {
            most = self.book.max(&most, &Num::Known(0));
        }
        facts.extend(&gap.facts);
        self.compared_exactly(args, [&low, &high], (id, &most), &mut facts);
        Some(Turns { most, facts })
    }

    /// What is compared is not wrapped, up to the comparison that ends the loop.
    fn compared_exactly(
        &mut self,
        args: &[Expr],
        forms: [&Form; 2],
        (turn, most): (AtomId, &Num),
        facts: &mut BTreeSet<FactId>,
    ) {
        let end = self.book.add(most, &Num::Known(1));
        let end = self.book.max(&end, &Num::Known(0));
        let past = self.book.atom((Some(Num::Known(0)), Some(end)), BTreeSet::new());
        let narrowest = args.iter().map(|it| plain(it).ty).filter_map(limits).min_by_key(|it| it.1);
        for form in forms.into_iter().filter(|it| !it.exact) {
            let mut form = form.clone();
            if let Some(factor) = form.terms.remove(&turn) {
                let grown = self.book.scale(&past, &factor);
                form = self.book.sum(&form, &grown);
            }
            let range = self.book.range(&form);
            facts.extend(narrowest.and_then(|limits| self.within(range, limits)));
        }
    }

    /// `i != end` at the end of a loop that is entered where `i <= last`, with `end == last + 1`.
    #[allow(clippy::type_complexity)]
    fn until(&mut self, args: &'a [Expr], guard: &'a Expr) -> Option<(Form, Form, bool, BTreeSet<FactId>)> {
        let ExprKind::Operation { operation, args: guarded } = &guard.kind else { return None };
        let (start, last, true) = ordered(*operation, guarded, true)? else { return None };
        let [counter, end] = args else { return None };
        let (ExprKind::Local(a), ExprKind::Local(b)) = (&plain(counter).kind, &plain(start).kind) else {
            return None;
        };
        if a != b {
            return None;
        }
        // The guard says something of the last value as well, which is not what it is compared by.
        let narrowed = std::mem::replace(&mut self.narrowed, false);
        let values = self.exact(end).zip(self.exact(last));
        self.narrowed = narrowed;
        let ((end, _), (last, _)) = values?;
        let gap = self.book.difference(&end, &last);
        let mut facts = &end.facts | &last.facts;
        match gap.as_point()? {
            Num::Known(1) => {}
            Num::Known(_) => return None,
            Num::Text(text) => {
                let text = format!("{text} == 1");
                facts.insert(self.book.fact(text));
            }
        }
        Some((self.value(counter)?, last, true, facts))
    }

    /// Locals that only get smaller and stay above zero (`i /= 2`, `i >>= 1`), or only larger up to a bound (`i *= 2`).
    fn monotone(
        &mut self,
        before: &State<'a>,
        test: &'a Expr,
        (body, update): (&'a [Stmt], &'a [Stmt]),
        changed: &FxHashSet<LocalId>,
    ) {
        for local in changed {
            let mut changes = Vec::new();
            for part in [body, update] {
                walk::visit_stmts(part, &mut |stmt| match &stmt.kind {
                    StmtKind::Set { local: id, value } if id == local => changes.push(change(value, *local)),
                    StmtKind::SetStructField { local: id, .. } if id == local => changes.push(None),
                    _ => {}
                });
            }
            let Some(form) = first_of(before, *local).filter(|it| it.exact).cloned() else { continue };
            let (Some(low @ Num::Known(0..)), Some(high)) = self.book.range(&form) else { continue };
            let form = match changes.as_slice() {
                [Some(Change::Part)] => self.book.atom((Some(Num::Known(0)), Some(high)), form.facts),
                [Some(Change::Times(by))] if once(body, update, *local) => {
                    let Some((bound, mut facts)) = self.upper(test, *local) else { continue };
                    // Nothing above the bound is multiplied, so that nothing wraps.
                    let next = self.book.mul(&bound, &Num::Known(*by));
                    let most = limits(Ty::I32).map_or(0, |it| it.1);
                    facts.insert(self.book.fact(format!("{} <= {most}LL", next.text())));
                    facts.extend(&form.facts);
                    let high = self.book.max(&high, &next);
                    self.book.atom((Some(low), Some(high)), facts)
                }
                _ => continue,
            };
            self.state.values.insert(*local, form);
        }
    }

    /// The most that a local is where a condition holds.
    fn upper(&mut self, test: &'a Expr, local: LocalId) -> Option<(Num, BTreeSet<FactId>)> {
        match &test.kind {
            ExprKind::And(a, b) => self.upper(a, local).or_else(|| self.upper(b, local)),
            ExprKind::Operation { operation, args } => {
                let (a, b, _) = ordered(*operation, args, true)?;
                if !matches!(plain(a).kind, ExprKind::Local(id) if id == local) {
                    return None;
                }
                let (form, (_, high)) = self.exact(b)?;
                Some((high?, form.facts))
            }
            _ => None,
        }
    }
}

/// What is known of a local before a loop, by a guard if there is one.
fn first_of<'s>(before: &'s State<'_>, local: LocalId) -> Option<&'s Form> {
    let name = key(&Expr { ty: Ty::I64, kind: ExprKind::Local(local), position: None });
    before.narrow.get(&name).or_else(|| before.values.get(&local))
}

/// `i != end`.
fn is_until(test: &Expr) -> bool {
    matches!(test.kind, ExprKind::Operation { operation: Operation::Ne, .. })
}

/// Whether each turn assigns the local at most once.
fn once(body: &[Stmt], update: &[Stmt], local: LocalId) -> bool {
    let mut all = Vec::new();
    straight(body, &mut all);
    straight(update, &mut all);
    all.iter().any(|it| matches!(&it.kind, StmtKind::Set { local: id, .. } if *id == local))
}

/// How an assignment changes a local that is not negative.
enum Change {
    /// To a part of it.
    Part,
    /// To a multiple.
    Times(i64),
}

fn count(body: &[Stmt], local: LocalId) -> usize {
    let mut count = 0;
    walk::visit_stmts(body, &mut |stmt| {
        count += match &stmt.kind {
            StmtKind::Set { local: id, .. } | StmtKind::SetStructField { local: id, .. } => {
                usize::from(*id == local)
            }
            _ => 0,
        }
    });
    count
}

/// `by` of `local + by` or `local - by`, and whether it is subtracted.
fn step(value: &Expr, local: LocalId) -> Option<(&Expr, bool)> {
    let ExprKind::Operation { operation, args } = &value.kind else { return None };
    let is_counter = |it: &Expr| matches!(plain(it).kind, ExprKind::Local(id) if id == local);
    match (operation, args.as_slice()) {
        // Of a counter that is narrower than its type says, the lower bits are taken after each step.
        (Operation::Convert, [inner]) => step(inner, local).filter(|_| inner.ty == Ty::I64),
        (Operation::Add, [a, b]) if is_counter(a) => Some((b, false)),
        (Operation::Add, [a, b]) if is_counter(b) => Some((a, false)),
        (Operation::Sub, [a, b]) if is_counter(a) => Some((b, true)),
        _ => None,
    }
}

fn change(value: &Expr, local: LocalId) -> Option<Change> {
    let ExprKind::Operation { operation, args } = &value.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let is_local = |it: &Expr| matches!(it.kind, ExprKind::Local(id) if id == local);
    match (operation, &b.kind) {
        (Operation::Div, ExprKind::Int(1..)) | (Operation::Shr, ExprKind::Int(0..=62)) if is_local(a) => {
            Some(Change::Part)
        }
        (Operation::Mul, ExprKind::Int(by @ 1..=65536)) if is_local(a) => Some(Change::Times(*by)),
        (Operation::Mul, ExprKind::Local(_)) if is_local(b) => match a.kind {
            ExprKind::Int(by @ 1..=65536) => Some(Change::Times(by)),
            _ => None,
        },
        (Operation::Shl, ExprKind::Int(count @ 0..=16)) if is_local(a) => Some(Change::Times(1 << count)),
        (Operation::Add, ExprKind::Local(_)) if is_local(a) && is_local(b) => Some(Change::Times(2)),
        _ => None,
    }
}

/// The test of a loop that is tested last: a boolean local stands for what it was set to.
fn last_test<'a>(condition: &'a Expr, body: &'a [Stmt], update: &'a [Stmt]) -> &'a Expr {
    let ExprKind::Local(local) = condition.kind else { return condition };
    if count(body, local) + count(update, local) != 1 {
        return condition;
    }
    let mut all = Vec::new();
    straight(body, &mut all);
    straight(update, &mut all);
    let Some(at) =
        all.iter().position(|it| matches!(&it.kind, StmtKind::Set { local: id, .. } if *id == local))
    else {
        return condition;
    };
    let StmtKind::Set { value, .. } = &all[at].kind else { return condition };
    let mut later = FxHashSet::default();
    for stmt in &all[at + 1..] {
        assigned(std::slice::from_ref(*stmt), &mut later);
    }
    if later.iter().any(|it| mentions(value, *it)) { condition } else { value }
}
