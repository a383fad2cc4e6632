//! What conditions say about the threads for which they hold, and what numbers variables have.

use super::super::affine::{Affine, Known};
use super::{Races, Range};
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, LocalId};

/// What a condition says about the threads for which it holds.
pub(super) enum Limit {
    /// All or none.
    Uniform,
    /// Those with these numbers on the axis.
    Threads(LocalId, Range),
    /// Nobody knows.
    Unknown,
}

impl Races<'_, '_> {
    /// Whether a condition is known to be the same for all threads.
    pub(super) fn is_alike(&mut self, condition: ExprId) -> bool {
        self.limits(condition).iter().all(|it| matches!(it, Limit::Uniform))
    }

    /// Whether the variable is an index of the thread.
    pub(super) fn is_axis(&self, local: LocalId) -> bool {
        self.axes.iter().any(|axis| axis.0 == local)
    }

    pub(super) fn affine(&self, expr: ExprId) -> Option<Affine> {
        let is_known = |local: LocalId| {
            self.is_axis(local)
                || self.fixed.contains(&local)
                || self.counters.contains_key(&local)
                || (!self.draft.inner.contains(&local) && !self.draft.local(local).mutable)
        };
        self.draft.affine(expr, &Known { is_known: &is_known, values: &self.values })
    }

    /// The value is the same for all threads of the block.
    fn is_uniform(&self, value: &Affine) -> bool {
        value.terms.iter().all(|(local, _)| !self.is_axis(*local))
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
        let condition = draft.strip(condition);
        match &draft.expr(condition).kind {
            ExprKind::ShortCircuit { left, right, is_or: false } => {
                let mut limits = self.limits(*left);
                limits.extend(self.limits(*right));
                limits
            }
            ExprKind::Equal { left, right, negated } => {
                let difference =
                    self.affine(*left).zip(self.affine(*right)).and_then(|(a, b)| a.plus(-1, &b));
                vec![match difference {
                    Some(value) if self.is_uniform(&value) => Limit::Uniform,
                    // `thread == 3n`, either way round.
                    Some(Affine { terms, constant }) if !negated => match terms[..] {
                        [(axis, factor @ (1 | -1))] if self.is_axis(axis) => {
                            let only = constant.saturating_mul(-factor);
                            Limit::Threads(axis, (only, only))
                        }
                        _ => Limit::Unknown,
                    },
                    _ => Limit::Unknown,
                }]
            }
            ExprKind::Call { method, receiver, args, .. } => {
                let operands: Vec<Option<Affine>> =
                    receiver.iter().chain(args).map(|it| self.affine(*it)).collect();
                let [Some(left), Some(right)] = &operands[..] else { return vec![Limit::Unknown] };
                if self.is_uniform(left) && self.is_uniform(right) {
                    return vec![Limit::Uniform];
                }
                let name = method.name(draft.facts.db);
                let (low, high, less) = match name.strip_prefix("operator").map_or("", str::trim) {
                    "<" => (left, right, 1),
                    "<=" => (left, right, 0),
                    ">" => (right, left, 1),
                    ">=" => (right, left, 0),
                    _ => return vec![Limit::Unknown],
                };
                vec![match (&low.terms[..], &high.terms[..]) {
                    ([(axis, 1)], []) if self.is_axis(*axis) => {
                        let last = high.constant.saturating_sub(less).saturating_sub(low.constant);
                        Limit::Threads(*axis, (0, last))
                    }
                    ([], [(axis, 1)]) if self.is_axis(*axis) => {
                        let first = low.constant.saturating_add(less).saturating_sub(high.constant);
                        Limit::Threads(*axis, (first, i64::MAX))
                    }
                    _ => Limit::Unknown,
                }]
            }
            _ => vec![Limit::Unknown],
        }
    }

    /// Whether a condition holds, where that is known.
    pub(super) fn truth(&self, condition: ExprId) -> Option<bool> {
        let draft = self.draft;
        let number = |it: ExprId| self.affine(it).filter(|it| it.terms.is_empty()).map(|it| it.constant);
        let condition = draft.strip(condition);
        match &draft.expr(condition).kind {
            ExprKind::ShortCircuit { left, right, is_or } => {
                let (left, right) = (self.truth(*left), self.truth(*right));
                match left == Some(*is_or) || right == Some(*is_or) {
                    true => Some(*is_or),
                    false => left.and(right),
                }
            }
            ExprKind::Equal { left, right, negated } => Some((number(*left)? == number(*right)?) != *negated),
            ExprKind::Call { method, receiver, args, .. } if draft.facts.is_pure(*method) => {
                let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
                let [left, right] = operands[..] else { return None };
                let name = method.name(draft.facts.db);
                match name.strip_prefix("operator").map_or("", str::trim) {
                    "<" => Some(number(left)? < number(right)?),
                    "<=" => Some(number(left)? <= number(right)?),
                    ">" => Some(number(left)? > number(right)?),
                    ">=" => Some(number(left)? >= number(right)?),
                    _ => None,
                }
            }
            _ => None,
        }
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
        match value.and_then(|it| self.affine(it)).filter(|it| it.terms.is_empty()) {
            Some(number) => self.values.insert(local, number.constant),
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
