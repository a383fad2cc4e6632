//! Abstract interpretation of statements in the domain of affine forms (Cousot and Cousot, POPL 1977).

use rustc_hash::FxHashSet;

use super::evaluate::type_range;
use super::form::Form;
use super::refine::is_pure;
use super::value_key::ValueKey;
use super::{AbstractState, BoundsChecker};
use crate::analysis::jumps::has_break;
use crate::analysis::locals::{assigned_locals, mentions};
use apg_mir::walk::{children, operands};
use apg_mir::*;

impl<'a> BoundsChecker<'a> {
    /// Interprets statements; returns whether their end is reached.
    pub(super) fn visit_stmts(&mut self, stmts: &'a [Stmt]) -> bool {
        stmts.iter().all(|it| self.visit_stmt(it))
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::Loop { label, condition, body, update, post_tested, .. } = &stmt.kind {
            self.visit_loop(*label, condition, (body, update), *post_tested, None);
            return true;
        }
        for operand in operands(&stmt.kind) {
            self.visit_expr_accesses(operand);
        }
        match &stmt.kind {
            StmtKind::Set { local, value } => self.visit_assignment(*local, value),
            StmtKind::SetStructField { local, .. } => self.invalidate(&FxHashSet::from_iter([*local])),
            StmtKind::SetElement { rail, index, .. } => self.visit_access(rail, index),
            StmtKind::Block(body) => return self.visit_stmts(body),
            StmtKind::If { condition, then, otherwise } => {
                return self.visit_branch(condition, then, otherwise);
            }
            StmtKind::Labeled { label, body } => {
                let before = self.state.clone();
                let ends = self.visit_stmts(body);
                if has_break(body, *label) {
                    self.rejoin(before, body);
                } else if !ends {
                    return false;
                }
            }
            StmtKind::Switch { cases, .. } => {
                let before = self.state.clone();
                for (_, body) in cases {
                    self.state = before.clone();
                    // An earlier case may fall through into this one.
                    let all = cases.iter().flat_map(|(_, body)| body);
                    self.invalidate(&assigned_locals(all));
                    self.visit_stmts(body);
                }
                self.state = before;
                self.invalidate(&assigned_locals(cases.iter().flat_map(|(_, body)| body)));
            }
            StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Throw(_) => {
                return false;
            }
            _ => {}
        }
        true
    }

    fn visit_assignment(&mut self, local: LocalId, value: &'a Expr) {
        let integer = type_range(value.ty).is_some();
        let (form, narrow) = if integer { self.assigned_value(value) } else { (None, None) };
        self.widen_assignment(local, value);
        self.narrow_assignment(value);
        let alias = match value.kind {
            ExprKind::Local(from) => Some(self.state.aliases.get(&from).copied().unwrap_or(from)),
            _ => None,
        };
        self.invalidate(&FxHashSet::from_iter([local]));
        if let Some(form) = form {
            self.state.values.insert(local, form);
        }
        if integer && is_pure(value) && !mentions(value, local) {
            self.state.definitions.insert(local, value);
        }
        if let Some(form) = narrow {
            self.state.refined.insert(ValueKey::Local(local), form);
        }
        if let Some(rail) = alias.filter(|it| self.lengths.contains_key(it)) {
            self.state.aliases.insert(local, rail);
        }
        if value.ty == Ty::Bool && !mentions(value, local) {
            self.state.predicates.insert(local, value);
        }
    }

    /// The value of an expression without guards, and with guards if they refine it.
    fn assigned_value(&mut self, value: &Expr) -> (Option<Form>, Option<Form>) {
        let guarded = self.evaluate(value);
        let uses_guards = std::mem::replace(&mut self.uses_guards, false);
        let plain = self.evaluate(value);
        self.uses_guards = uses_guards;
        match plain {
            Some(plain) if Some(&plain) != guarded.as_ref() => {
                (Some(plain), self.evaluate_exact(value).map(|it| it.0))
            }
            Some(plain) => (Some(plain), None),
            None => (guarded, None),
        }
    }

    /// Forgets the values of locals.
    pub(super) fn invalidate(&mut self, locals: &FxHashSet<LocalId>) {
        let state = &mut self.state;
        state.values.retain(|local, _| !locals.contains(local));
        state.aliases.retain(|local, _| !locals.contains(local));
        state
            .predicates
            .retain(|local, test| !locals.contains(local) && !locals.iter().any(|it| mentions(test, *it)));
        state
            .definitions
            .retain(|local, value| !locals.contains(local) && !locals.iter().any(|it| mentions(value, *it)));
        state.refined.retain(|key, _| !key.mentions_any(locals));
    }

    fn visit_branch(&mut self, condition: &'a Expr, then: &'a [Stmt], otherwise: &'a [Stmt]) -> bool {
        let before = self.state.clone();
        self.assume(condition, true);
        let first =
            self.visit_guarded(condition, then).then(|| std::mem::replace(&mut self.state, before.clone()));
        let mut narrow = before.refined.clone();
        self.state = before;
        self.assume(condition, false);
        let second = self.visit_stmts(otherwise);
        match (first, second) {
            (Some(first), true) => {
                self.join(first);
                // Facts about values that neither branch changes stay valid.
                let changed = assigned_locals(then.iter().chain(otherwise));
                narrow.retain(|key, _| !key.mentions_any(&changed));
                self.state.refined.extend(narrow);
            }
            (Some(first), false) => self.state = first,
            (None, ends) => return ends,
        }
        true
    }

    /// Interprets a branch, which may be the guard of a range loop.
    fn visit_guarded(&mut self, condition: &'a Expr, then: &'a [Stmt]) -> bool {
        if let [
            Stmt {
                kind: StmtKind::Loop { label, condition: again, body, update, post_tested: true, .. },
                ..
            },
        ] = then
        {
            self.visit_loop(*label, again, (body, update), true, Some(condition));
            return true;
        }
        self.visit_stmts(then)
    }

    /// Joins the states of two paths.
    fn join(&mut self, other: AbstractState<'a>) {
        let mine = std::mem::take(&mut self.state);
        let mut joined = AbstractState::default();
        for (local, form) in mine.values {
            let Some(second) = other.values.get(&local) else { continue };
            if form == *second {
                joined.values.insert(local, form);
                continue;
            }
            if !form.is_exact || !second.is_exact {
                // Values modulo the width have no common range.
                continue;
            }
            let (a, b) = (self.context.range(&form), self.context.range(second));
            let range = self.context.hull(&a, &b);
            if !range.is_all() {
                let form = self.context.symbol(range, &form.assumptions | &second.assumptions);
                joined.values.insert(local, form);
            }
        }
        joined.aliases = mine.aliases;
        joined.aliases.retain(|local, rail| other.aliases.get(local) == Some(rail));
        joined.definitions = mine.definitions;
        joined
            .definitions
            .retain(|local, value| other.definitions.get(local).is_some_and(|it| std::ptr::eq(*it, *value)));
        joined.predicates = mine.predicates;
        joined
            .predicates
            .retain(|local, test| other.predicates.get(local).is_some_and(|it| std::ptr::eq(*it, *test)));
        joined.refined = mine.refined;
        joined.refined.retain(|key, form| other.refined.get(key) == Some(form));
        joined.nonnegative = mine.nonnegative;
        joined.nonnegative.retain(|gap| other.nonnegative.contains(gap));
        let same =
            mine.path_conditions.iter().zip(&other.path_conditions).take_while(|(a, b)| a == b).count();
        joined.path_conditions = mine.path_conditions;
        joined.path_conditions.truncate(same);
        self.state = joined;
    }

    /// Restores the state before a construct that is left from within, less what it assigns.
    pub(super) fn rejoin(&mut self, before: AbstractState<'a>, body: &'a [Stmt]) {
        self.state = before;
        self.invalidate(&assigned_locals(body));
    }

    /// Visits the accesses in an expression.
    pub(super) fn visit_expr_accesses(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.visit_expr_accesses(a);
                let before = self.state.clone();
                self.assume(a, matches!(expr.kind, ExprKind::And(..)));
                self.visit_expr_accesses(b);
                self.state = before;
            }
            ExprKind::Select { condition, then, otherwise } => {
                self.visit_expr_accesses(condition);
                for (side, holds) in [(then, true), (otherwise, false)] {
                    let before = self.state.clone();
                    self.assume(condition, holds);
                    self.visit_expr_accesses(side);
                    self.state = before;
                }
            }
            kind => {
                for inner in children(kind) {
                    self.visit_expr_accesses(inner);
                }
                self.narrow_operation(expr);
                self.visit_division(expr);
                if let ExprKind::Element { rail, index, .. } | ExprKind::Atomic { rail, index, .. } = kind {
                    self.visit_access(rail, index);
                }
            }
        }
    }
}
