//! Conditions as predicates on thread indices, and symbolic values of variables.

use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, LocalId};
use crate::kernel::affine::{Affine, Condition, SymbolContext};
use crate::kernel::races::RaceDetector;

/// The threads for which a condition holds.
pub(in crate::kernel) enum ThreadCondition {
    /// All or none.
    Uniform,
    /// The threads that satisfy the predicate.
    Threads(Condition),
    /// An unknown set.
    Unknown,
}

impl RaceDetector<'_, '_, '_> {
    /// Whether a condition is known to be uniform.
    pub(in crate::kernel) fn is_uniform_condition(&mut self, condition: ExprId) -> bool {
        self.thread_conditions(condition).iter().all(|it| matches!(it, ThreadCondition::Uniform))
    }

    /// Whether the variable is a thread index.
    pub(in crate::kernel) fn is_axis(&self, local: LocalId) -> bool {
        self.axes.iter().any(|axis| axis.0 == local)
    }

    pub(in crate::kernel) fn affine(&self, expr: ExprId) -> Option<Affine> {
        self.with_symbols(|known| self.context.affine(expr, known))
    }

    pub(in crate::kernel) fn condition(&self, expr: ExprId) -> Option<Condition> {
        self.with_symbols(|known| self.context.condition(expr, known))
    }

    fn with_symbols<R>(&self, read: impl FnOnce(&SymbolContext) -> R) -> R {
        let is_symbol = |local: LocalId| {
            self.is_axis(local)
                || self.blocks.contains_key(&local)
                || self.loop_variables.contains_key(&local)
                || (!self.context.inner.contains(&local) && !self.context.local(local).mutable)
        };
        let is_non_negative = |local: LocalId| self.is_non_negative(local);
        read(&SymbolContext {
            is_symbol: &is_symbol,
            is_non_negative: &is_non_negative,
            values: &self.values,
        })
    }

    /// Whether a symbol is never negative.
    pub(in crate::kernel) fn is_non_negative(&self, local: LocalId) -> bool {
        self.is_axis(local) || self.blocks.contains_key(&local) || self.non_negative.contains(&local)
    }

    /// Whether the value is uniform for the block.
    fn is_uniform(&self, value: &Affine) -> bool {
        let mut found = false;
        value.for_each_variable(&mut |local| found |= self.is_axis(local));
        !found
    }

    /// The bounds of a range, if they are uniform.
    pub(in crate::kernel) fn uniform_bounds(&self, iterable: ExprId) -> Option<(Affine, Affine)> {
        let ExprKind::Call { receiver, args, .. } =
            &self.context.expr(self.context.strip_coercions(iterable)).kind
        else {
            return None;
        };
        let mut ends =
            receiver.iter().chain(args).map(|it| self.affine(*it).filter(|it| self.is_uniform(it)));
        let (low, high) = (ends.next()??, ends.next()??);
        ends.next().is_none().then_some((low, high))
    }

    /// The threads for which a condition holds, one entry a conjunct.
    pub(in crate::kernel) fn thread_conditions(&mut self, condition: ExprId) -> Vec<ThreadCondition> {
        match self.uniformity.is_uniform(condition) {
            true => vec![ThreadCondition::Uniform],
            false => self.symbolic_thread_conditions(condition),
        }
    }

    fn symbolic_thread_conditions(&mut self, condition: ExprId) -> Vec<ThreadCondition> {
        let context = self.context;
        let stripped = context.strip_coercions(condition);
        if let ExprKind::ShortCircuit { left, right, is_or: false } = context.expr(stripped).kind {
            let mut limits = self.thread_conditions(left);
            limits.extend(self.thread_conditions(right));
            return limits;
        }
        let Some(condition) = self.condition(stripped) else { return vec![ThreadCondition::Unknown] };
        let (mut is_uniform, mut is_symbol) = (true, true);
        condition.for_each_variable(&mut |local| {
            is_uniform &= !self.is_axis(local);
            is_symbol &= self.is_axis(local) || matches!(self.loop_variables.get(&local), Some(Some(_)));
        });
        vec![match (is_uniform, is_symbol) {
            (true, _) => ThreadCondition::Uniform,
            (false, true) => ThreadCondition::Threads(condition),
            (false, false) => ThreadCondition::Unknown,
        }]
    }

    /// The truth value of a condition, if known.
    pub(in crate::kernel) fn known_value(&self, condition: ExprId) -> Option<bool> {
        self.condition(condition)?.evaluate(&|_| None)
    }

    /// Whether a condition may change between iterations of a loop.
    pub(in crate::kernel) fn is_loop_variant(&self, condition: ExprId) -> bool {
        let mut found = false;
        self.context.body.walk(Node::Expr(condition), &mut |node| {
            let Node::Expr(expr) = node else { return true };
            found |= match &self.context.expr(expr).kind {
                ExprKind::Local(local) => {
                    !self.is_axis(*local)
                        && !self.blocks.contains_key(local)
                        && self.context.inner.contains(local)
                }
                ExprKind::Call { method, .. } => !self.context.semantics.is_pure(*method),
                _ => false,
            };
            !found
        });
        found
    }

    /// Records an assignment.
    pub(in crate::kernel) fn set_value(&mut self, local: LocalId, value: Option<ExprId>) {
        match value.and_then(|it| self.affine(it)) {
            Some(value) => self.values.insert(local, value),
            None => self.values.remove(&local),
        };
    }

    /// Drops the values of variables that are assigned in a part of the code.
    pub(in crate::kernel) fn drop_assigned_values(&mut self, part: Node) {
        let context = self.context;
        context.body.walk(part, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Assign { target: AssignTarget::Local(local), .. } = context.expr(expr).kind
            {
                self.values.remove(&local);
            }
            true
        });
    }
}
