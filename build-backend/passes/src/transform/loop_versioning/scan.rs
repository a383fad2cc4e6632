//! Symbolic evaluation of the unchecked version of a loop, in which the accesses that guards cover lose their
//! checks.
//!
//! The statements are visited in the order of execution with a state: the value of each variable in terms of
//! induction variables and of values that the loop does not change.

use apg_mir::*;
use rustc_hash::FxHashSet;

use super::expressions::{compare, expr, int, long, negation_of, size, sum};
use super::induction::{Entry, Exit, Induction};
use super::state::{Axis, Form, Invariant, Known, Scan};
use crate::analysis::locals::assigned_locals;

/// Largest end of a variable with a step above 1, which keeps it from overflowing.
const MAX_STEPPED_END: i64 = 1 << 62;
/// As above, for an `I32`.
const MAX_STEPPED_END_I32: i64 = (1 << 30) - 1;
/// Largest step.
const MAX_STEP: i64 = 1 << 30;
/// Size of the largest value that the state holds, in expressions.
const MAX_VALUE_EXPRESSIONS: usize = 40;

impl Scan<'_> {
    /// Evaluates the loop that is versioned, and removes the checks that `tests` make redundant.
    pub(super) fn run(&mut self, stmt: &mut Stmt, entry: Entry<'_>) {
        let induction = Induction::of(stmt, entry.condition, self.successors);
        let axis = induction.as_ref().and_then(|it| {
            let first = long(entry.value(it.local, it.ty));
            self.axis(it, (first.clone(), first), Vec::new())
        });
        self.visit_loop(stmt, induction.zip(axis));
    }

    /// The range of an induction variable with a first value between these.
    fn axis(&self, it: &Induction, first: (Expr, Expr), mut tests: Vec<Expr>) -> Option<Axis> {
        let (limit, is_included) = match &it.exit {
            Exit::AfterBody { last, end } => {
                self.invariant(end).map(drop).or_else(|| self.affine(end).map(drop))?;
                let (_, high) = self.exact(last)?.bound(self, &mut tests)?;
                return Some(Axis { low: first.0, high, tests });
            }
            Exit::BeforeBody { limit, is_included, .. } => (limit, *is_included),
        };
        let (least, greatest) = self.exact(limit)?.bound(self, &mut tests)?;
        let mut far = if it.is_ascending { greatest } else { least };
        if !is_included {
            // An end one below the smallest number wraps to the largest: the guards on the range detect it.
            far = sum(far, int(if it.is_ascending { -1 } else { 1 }));
        }
        if let Some(step) = &it.step {
            let Invariant { value, guards } = self.invariant(step)?;
            let step = long(value);
            tests.extend(guards);
            tests.push(compare(Operation::Ge, &step, &int(1)));
            tests.push(compare(Operation::Le, &step, &int(MAX_STEP)));
        }
        let largest = if it.ty == Ty::I64 { MAX_STEPPED_END } else { MAX_STEPPED_END_I32 };
        let (op, largest) =
            if it.is_ascending { (Operation::Le, largest) } else { (Operation::Ge, -largest) };
        tests.push(compare(op, &far, &int(largest)));
        let (low, high) = if it.is_ascending { (first.0, far) } else { (far, first.1) };
        Some(Axis { low, high, tests })
    }

    fn visit_stmts(&mut self, stmts: &mut [Stmt]) {
        stmts.iter_mut().for_each(|stmt| self.visit_stmt(stmt, None));
    }

    /// Visits statements that may not run, or run in part.
    fn visit_branch(&mut self, stmts: &mut [Stmt], entry: Option<&Expr>) {
        let before = self.state.clone();
        if let Some((first, rest)) = stmts.split_first_mut() {
            self.visit_stmt(first, entry);
            self.visit_stmts(rest);
        }
        self.state = before;
    }

    /// Visits a statement. `entry` holds whenever it is reached.
    fn visit_stmt(&mut self, stmt: &mut Stmt, entry: Option<&Expr>) {
        match &mut stmt.kind {
            StmtKind::Set { local, value } => {
                let local = *local;
                self.visit_expr(value);
                self.assign(local, value);
            }
            StmtKind::SetStructField { local, value, .. } => {
                let local = *local;
                self.visit_expr(value);
                self.forget(local);
            }
            StmtKind::SetElement { rail, element: _, index, value, checked } => {
                [&mut *rail, &mut *index, value].into_iter().for_each(|it| self.visit_expr(it));
                if *checked && self.cover_element(rail, index) {
                    *checked = false;
                }
            }
            StmtKind::Block(body) => self.visit_stmts(body),
            StmtKind::If { condition, then, otherwise } => {
                if otherwise.is_empty() && self.hoist_check(condition, then) {
                    stmt.kind = StmtKind::Block(Vec::new());
                    return;
                }
                self.visit_expr(condition);
                self.visit_branch(then, Some(condition));
                self.visit_branch(otherwise, None);
                self.forget_all(&assigned_locals(then.iter().chain(otherwise.iter())));
            }
            StmtKind::Labeled { body, .. } => {
                self.visit_branch(body, None);
                self.forget_all(&assigned_locals(body.iter()));
            }
            StmtKind::Switch { value, cases, .. } => {
                self.visit_expr(value);
                // Cases fall through.
                self.forget_all(&assigned_locals(cases.iter().flat_map(|it| &it.1)));
                cases.iter_mut().for_each(|(_, body)| self.visit_branch(body, None));
            }
            StmtKind::Loop { .. } => {
                let induction = Induction::of(stmt, entry, self.successors);
                let mut tests = Vec::new();
                let first = induction.as_ref().and_then(|it| {
                    let first = expr(it.ty, ExprKind::Local(it.local));
                    self.exact(&first)?.bound(self, &mut tests)
                });
                self.forget_all(&assigned_locals([&*stmt]));
                let axis = induction.as_ref().zip(first).and_then(|(it, first)| self.axis(it, first, tests));
                self.visit_loop(stmt, induction.zip(axis));
            }
            kind => {
                for operand in walk_mut::operands(kind) {
                    self.visit_expr(operand);
                }
            }
        }
    }

    /// Moves a check that raises an exception under an invariant condition in front of the loop: the
    /// unchecked version runs if the exception is not raised.
    fn hoist_check(&mut self, condition: &Expr, then: &[Stmt]) -> bool {
        if !matches!(then.last(), Some(Stmt { kind: StmtKind::Throw(_), .. })) {
            return false;
        }
        let Some(Invariant { value, mut guards }) = self.invariant(condition) else { return false };
        guards.push(negation_of(value));
        self.require(guards);
        true
    }

    /// Visits a loop, whose variables are not in the state.
    fn visit_loop(&mut self, stmt: &mut Stmt, induction: Option<(Induction, Axis)>) {
        let StmtKind::Loop { condition, body, update, .. } = &mut stmt.kind else { return };
        let before = self.state.clone();
        // The variable may be past its end in the condition, in statements before the test, and in the
        // update.
        self.visit_expr(condition);
        let prefix = match &induction {
            Some((Induction { exit: Exit::BeforeBody { prefix, .. }, .. }, _)) => *prefix,
            _ => 0,
        };
        let (prefix, rest) = body.split_at_mut(prefix);
        self.visit_stmts(prefix);
        if let Some((induction, axis)) = induction {
            self.axes.push(axis);
            let variable = Form::variable(self.axes.len() - 1);
            self.state.insert(induction.local, Known::Number(variable));
        }
        self.visit_stmts(rest);
        self.state = before.clone();
        self.visit_stmts(update);
        self.state = before;
    }

    fn assign(&mut self, local: LocalId, value: &Expr) {
        let known = self.evaluate(value);
        self.forget(local);
        if let Some(known) = known {
            self.state.insert(local, known);
        }
    }

    /// The value of an expression, if it is known.
    fn evaluate(&self, value: &Expr) -> Option<Known> {
        if let Some(invariant) = self.invariant(value) {
            return (size(&invariant.value) <= MAX_VALUE_EXPRESSIONS).then_some(Known::Value(invariant));
        }
        if let Some(form) = self.affine(value) {
            return Some(Known::Number(form));
        }
        if let Some(element) = self.rail_element(value) {
            return Some(Known::RailElement(element));
        }
        match &value.kind {
            ExprKind::Local(local) => self.state.get(local).cloned(),
            ExprKind::Call { function, args }
                if matches!(self.program.functions[function.index()].role, FunctionRole::Tuple) =>
            {
                let component = |it: &Expr| Some((self.affine(it)?, it.clone()));
                Some(Known::Tuple(args.iter().map(component).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// Forgets the value of a variable that changes, and tuples that mention it.
    fn forget(&mut self, local: LocalId) {
        self.forget_all(&FxHashSet::from_iter([local]));
    }

    fn forget_all(&mut self, locals: &FxHashSet<LocalId>) {
        self.state.retain(|local, known| {
            let mut depends = locals.contains(local);
            if let Known::Tuple(components) = known {
                for (_, value) in components {
                    walk::visit_expr(value, None, &mut |it, _| {
                        depends |= matches!(it.kind, ExprKind::Local(local) if locals.contains(&local));
                    });
                }
            }
            !depends
        });
    }
}
