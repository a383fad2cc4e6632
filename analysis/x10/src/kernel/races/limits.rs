//! What conditions say about the threads for which they hold, and what variables are.

use super::super::affine::{Affine, Condition, Known};
use super::Races;
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, LocalId};

/// What a condition says about the threads for which it holds.
pub(super) enum Limit {
    /// All or none.
    Uniform,
    /// Those for which this holds.
    Threads(Condition),
    /// It cannot be told.
    Unknown,
}

impl Races<'_, '_, '_> {
    /// Whether a condition is known to be the same for all threads.
    pub(super) fn is_alike(&mut self, condition: ExprId) -> bool {
        self.limits(condition).iter().all(|it| matches!(it, Limit::Uniform))
    }

    /// Whether the variable is an index of the thread.
    pub(super) fn is_axis(&self, local: LocalId) -> bool {
        self.axes.iter().any(|axis| axis.0 == local)
    }

    pub(super) fn affine(&self, expr: ExprId) -> Option<Affine> {
        self.with_known(|known| self.draft.affine(expr, known))
    }

    pub(super) fn condition(&self, expr: ExprId) -> Option<Condition> {
        self.with_known(|known| self.draft.condition(expr, known))
    }

    fn with_known<R>(&self, read: impl FnOnce(&Known) -> R) -> R {
        let is_known = |local: LocalId| {
            self.is_axis(local)
                || self.fixed.contains(&local)
                || self.counters.contains_key(&local)
                || (!self.draft.inner.contains(&local) && !self.draft.local(local).mutable)
        };
        let is_natural = |local: LocalId| self.is_natural(local);
        read(&Known { is_known: &is_known, is_natural: &is_natural, values: &self.values })
    }

    /// Whether a variable of sums is never negative.
    pub(super) fn is_natural(&self, local: LocalId) -> bool {
        self.is_axis(local) || self.fixed.contains(&local) || self.natural.contains(&local)
    }

    /// The value is the same for all threads of the block.
    fn is_uniform(&self, value: &Affine) -> bool {
        let mut found = false;
        value.variables(&mut |local| found |= self.is_axis(local));
        !found
    }

    /// The ends of a range that are the same for all threads.
    pub(super) fn ends(&self, iterable: ExprId) -> Option<(Affine, Affine)> {
        let ExprKind::Call { receiver, args, .. } = &self.draft.expr(self.draft.strip(iterable)).kind else {
            return None;
        };
        let mut ends =
            receiver.iter().chain(args).map(|it| self.affine(*it).filter(|it| self.is_uniform(it)));
        let (low, high) = (ends.next()??, ends.next()??);
        ends.next().is_none().then_some((low, high))
    }

    /// What a condition says of the threads.
    pub(super) fn limits(&mut self, condition: ExprId) -> Vec<Limit> {
        match self.uniformity.is_uniform(condition) {
            true => vec![Limit::Uniform],
            false => self.limits_by_sums(condition),
        }
    }

    fn limits_by_sums(&mut self, condition: ExprId) -> Vec<Limit> {
        let draft = self.draft;
        let stripped = draft.strip(condition);
        if let ExprKind::ShortCircuit { left, right, is_or: false } = draft.expr(stripped).kind {
            let mut limits = self.limits(left);
            limits.extend(self.limits(right));
            return limits;
        }
        let Some(condition) = self.condition(stripped) else { return vec![Limit::Unknown] };
        let (mut is_uniform, mut is_known) = (true, true);
        condition.variables(&mut |local| {
            is_uniform &= !self.is_axis(local);
            is_known &= self.is_axis(local) || matches!(self.counters.get(&local), Some(Some(_)));
        });
        vec![match (is_uniform, is_known) {
            (true, _) => Limit::Uniform,
            (false, true) => Limit::Threads(condition),
            (false, false) => Limit::Unknown,
        }]
    }

    /// Whether a condition holds, where that is known.
    pub(super) fn truth(&self, condition: ExprId) -> Option<bool> {
        self.condition(condition)?.evaluate(&|_| None)
    }

    /// Whether a condition may be another one in the next round of a loop.
    pub(super) fn varies(&self, condition: ExprId) -> bool {
        let mut found = false;
        self.draft.body.walk(Node::Expr(condition), &mut |node| {
            let Node::Expr(expr) = node else { return true };
            found |= match &self.draft.expr(expr).kind {
                ExprKind::Local(local) => {
                    !self.is_axis(*local) && !self.fixed.contains(local) && self.draft.inner.contains(local)
                }
                ExprKind::Call { method, .. } => !self.draft.facts.is_pure(*method),
                _ => false,
            };
            !found
        });
        found
    }

    /// A variable gets a value.
    pub(super) fn set(&mut self, local: LocalId, value: Option<ExprId>) {
        match value.and_then(|it| self.affine(it)) {
            Some(value) => self.values.insert(local, value),
            None => self.values.remove(&local),
        };
    }

    /// Leaves out the values of variables that are assigned in a part of the code.
    pub(super) fn forget_values(&mut self, part: Node) {
        let draft = self.draft;
        draft.body.walk(part, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Assign { target: AssignTarget::Local(local), .. } = draft.expr(expr).kind
            {
                self.values.remove(&local);
            }
            true
        });
    }
}
