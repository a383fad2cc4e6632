//! Recognition of induction variables (Muchnick, *Advanced Compiler Design and Implementation*, section 14.1)
//! and of the test that ends their loop.

use apg_mir::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::expressions::{constant, expr, operation};
use crate::analysis::induction_step::find_step;
use crate::analysis::locals::{assigned_locals, count_assignments, unconditional_stmts};

/// Largest step.
const MAX_STEP: i64 = 1 << 30;

/// A variable that is incremented or decremented once an iteration, in the update of its loop.
pub(super) struct Induction {
    pub local: LocalId,
    pub ty: Ty,
    /// Whether the step is added.
    pub is_ascending: bool,
    /// The step, unless it is a small positive constant.
    pub step: Option<Expr>,
    pub exit: Exit,
}

/// The test that ends a loop.
pub(super) enum Exit {
    /// The body runs while the variable has not passed `limit`.
    BeforeBody {
        limit: Expr,
        is_included: bool,
        /// Number of statements of the body that run before the test.
        prefix: usize,
    },
    /// The loop is entered if the variable is at most `last`, and left after the iteration in which it is.
    /// `end` is `last + 1`, which may wrap.
    AfterBody { last: Expr, end: Expr },
}

impl Induction {
    /// The induction variable of a loop. `entry` is a condition that holds whenever the loop is entered,
    /// `successors` are variables that are one more than another value.
    pub(super) fn of(
        stmt: &Stmt,
        entry: Option<&Expr>,
        successors: &FxHashMap<LocalId, Expr>,
    ) -> Option<Induction> {
        let StmtKind::Loop { condition, body, update, post_tested, .. } = &stmt.kind else { return None };
        let steps = steps_of(body, update);
        if *post_tested {
            return last_value(condition, entry?, successors, &steps);
        }
        let mut aliases = FxHashMap::default();
        let (condition, prefix) = exit_test(stmt, condition, body, &mut aliases)?;
        limit(condition, prefix, &aliases, &steps)
    }
}

/// What is known when a statement is reached.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry<'a> {
    /// A condition that holds.
    pub condition: Option<&'a Expr>,
    /// Statements that run directly before.
    pub before: &'a [Stmt],
}

impl Entry<'_> {
    /// The value of a variable.
    pub(super) fn value(self, wanted: LocalId, ty: Ty) -> Expr {
        for stmt in self.before.iter().rev() {
            match &stmt.kind {
                StmtKind::Set { local, value } if *local == wanted => {
                    if constant(value).is_some() {
                        return expr(ty, value.kind.clone());
                    }
                    break;
                }
                StmtKind::Set { .. } => {}
                _ => break,
            }
        }
        expr(ty, ExprKind::Local(wanted))
    }
}

/// Variables that an update steps, with the sign of the step and the step.
type Steps = FxHashMap<LocalId, (Ty, bool, Expr)>;

/// The variables that are assigned once in a loop: in its update, as `i = i + step` or `i = i - step`.
fn steps_of(body: &[Stmt], update: &[Stmt]) -> Steps {
    let elsewhere = assigned_locals(body);
    let mut copies: FxHashMap<LocalId, LocalId> = FxHashMap::default();
    let mut steps = Steps::default();
    let mut seen: FxHashSet<LocalId> = FxHashSet::default();
    let mut stmts = Vec::new();
    unconditional_stmts(update, &mut stmts);
    for stmt in stmts {
        let StmtKind::Set { local, value } = &stmt.kind else {
            // A branch or a call: what it assigns has no known step.
            seen.extend(assigned_locals([stmt]));
            continue;
        };
        let is_first = seen.insert(*local) && !elsewhere.contains(local);
        steps.remove(local);
        if let ExprKind::Local(from) = value.kind {
            copies.insert(*local, from);
            continue;
        }
        copies.retain(|copy, from| copy != local && from != local);
        if let (true, Some((is_ascending, step))) = (is_first, step_of(*local, value, &copies)) {
            steps.insert(*local, (value.ty, is_ascending, step));
        }
    }
    steps.retain(|local, _| count_assignments(update, *local) == 1);
    steps
}

/// Whether the step of `local = value` is added, and the step.
fn step_of(local: LocalId, value: &Expr, copies: &FxHashMap<LocalId, LocalId>) -> Option<(bool, Expr)> {
    let is_own = |it: LocalId| it == local || copies.get(&it) == Some(&local);
    let (step, is_subtracted) = find_step(value, &is_own)?;
    let is_ascending = !is_subtracted;
    match constant(step) {
        Some(0 | i64::MIN) => None,
        Some(number @ ..0) => Some((!is_ascending, expr(step.ty, ExprKind::Int(-number)))),
        _ => Some((is_ascending, step.clone())),
    }
}

/// The condition that holds in the body after the test, and the number of statements before that.
fn exit_test<'s>(
    stmt: &'s Stmt,
    condition: &'s Expr,
    body: &'s [Stmt],
    aliases: &mut FxHashMap<LocalId, LocalId>,
) -> Option<(&'s Expr, usize)> {
    let StmtKind::Loop { label, .. } = stmt.kind else { return None };
    if constant(condition) != Some(1) {
        return Some((condition, 0));
    }
    // `while (true) { temporaries; if (!condition) break; ... }`
    for (index, stmt) in body.iter().enumerate() {
        match &stmt.kind {
            StmtKind::Set { local, value } => {
                aliases.remove(local);
                if let ExprKind::Local(from) = value.kind {
                    aliases.insert(*local, from);
                }
            }
            StmtKind::If { condition, then, otherwise } if otherwise.is_empty() => {
                let is_exit =
                    matches!(then.as_slice(), [Stmt { kind: StmtKind::Break(it), .. }] if *it == label);
                let ExprKind::Operation { operation: Operation::Not, args } = &condition.kind else {
                    return None;
                };
                if !is_exit {
                    return None;
                }
                return Some((args.first()?, index + 1));
            }
            _ => return None,
        }
    }
    None
}

/// The induction variable that a comparison limits.
fn limit(
    condition: &Expr,
    prefix: usize,
    aliases: &FxHashMap<LocalId, LocalId>,
    steps: &Steps,
) -> Option<Induction> {
    let ExprKind::Operation { operation, args } = &condition.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let (is_less, is_included) = match operation {
        Operation::Lt => (true, false),
        Operation::Le => (true, true),
        Operation::Gt => (false, false),
        Operation::Ge => (false, true),
        _ => return None,
    };
    let variable = |it: &Expr| {
        let ExprKind::Local(local) = it.kind else { return None };
        let local = aliases.get(&local).copied().unwrap_or(local);
        steps.contains_key(&local).then_some(local)
    };
    [(a, b, is_less), (b, a, !is_less)].into_iter().find_map(|(it, limit, is_less)| {
        let local = variable(it)?;
        let (ty, is_ascending, step) = &steps[&local];
        let step = match constant(step) {
            Some(1..=MAX_STEP) => None,
            Some(_) => return None,
            None => Some(step.clone()),
        };
        let exit = Exit::BeforeBody { limit: limit.clone(), is_included, prefix };
        (is_less == *is_ascending && matches!(ty, Ty::I64 | Ty::I32)).then_some(Induction {
            local,
            ty: *ty,
            is_ascending: *is_ascending,
            step,
            exit,
        })
    })
}

/// The induction variable of `if (i <= last) do { ... } while (i != last + 1)` with step 1.
fn last_value(
    condition: &Expr,
    entry: &Expr,
    successors: &FxHashMap<LocalId, Expr>,
    steps: &Steps,
) -> Option<Induction> {
    let ExprKind::Operation { operation: Operation::Ne, args } = &condition.kind else { return None };
    let ExprKind::Operation { operation: Operation::Le, args: range } = &entry.kind else { return None };
    let ([index, end], [first, last]) = (args.as_slice(), range.as_slice()) else { return None };
    let (ExprKind::Local(local), ExprKind::Local(entered)) = (&index.kind, &first.kind) else { return None };
    let (ty, is_ascending, step) = steps.get(local)?;
    let is_counter = *is_ascending && constant(step) == Some(1) && matches!(ty, Ty::I64 | Ty::I32);
    let one = expr(*ty, ExprKind::Int(1));
    let after = operation(Operation::Add, *ty, vec![last.clone(), one]);
    let known = match end.kind {
        ExprKind::Local(local) => successors.get(&local),
        _ => None,
    };
    let is_successor = *end == after || known == Some(&after);
    (local == entered && is_counter && is_successor).then(|| Induction {
        local: *local,
        ty: *ty,
        is_ascending: true,
        step: None,
        exit: Exit::AfterBody { last: last.clone(), end: end.clone() },
    })
}

/// The variables of a function that are assigned once, the successor of another value.
pub(super) fn successors(body: &[Stmt]) -> FxHashMap<LocalId, Expr> {
    let mut found: FxHashMap<LocalId, Option<&Expr>> = FxHashMap::default();
    walk::visit_stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Set { local, value } => {
            found.entry(*local).and_modify(|it| *it = None).or_insert(Some(value));
        }
        StmtKind::SetStructField { local, .. } => {
            found.insert(*local, None);
        }
        _ => {}
    });
    let is_successor = |value: &Expr| match &value.kind {
        ExprKind::Operation { operation: Operation::Add, args } => args.get(1).and_then(constant) == Some(1),
        _ => false,
    };
    let known = found.into_iter().filter_map(|(local, value)| Some((local, value?)));
    known.filter(|(_, value)| is_successor(value)).map(|(local, value)| (local, value.clone())).collect()
}
