//! Refinement of values by conditions that hold on a path.

use apg_symbolic::integer::gcd;
use apg_symbolic::{SymExpr, SymRange};

use super::BoundsChecker;
use super::evaluate::{strip_widening, type_range};
use super::form::{Assumptions, Form};
use super::value_key::ValueKey;
use apg_mir::*;

/// Upper limit of non-negative forms in a state.
const MAX_NONNEGATIVE_FORMS: usize = 16;
/// Upper limit of the common step of a counter whose distance to a bound is computed.
const MAX_COMMON_STEP: u64 = 1 << 30;

/// The smaller and the larger side of a comparison that has the value `holds`, and whether they may be equal.
pub(super) fn as_ordering(operation: Operation, args: &[Expr], holds: bool) -> Option<(&Expr, &Expr, bool)> {
    let [a, b] = args else { return None };
    Some(match (operation, holds) {
        (Operation::Lt, true) | (Operation::Ge, false) => (a, b, false),
        (Operation::Le, true) | (Operation::Gt, false) => (a, b, true),
        (Operation::Gt, true) | (Operation::Le, false) => (b, a, false),
        (Operation::Ge, true) | (Operation::Lt, false) => (b, a, true),
        _ => return None,
    })
}

impl BoundsChecker<'_> {
    /// Assumes that a condition has the value `holds`.
    pub(super) fn assume(&mut self, condition: &Expr, holds: bool) {
        match &condition.kind {
            ExprKind::And(a, b) if holds => {
                self.assume(a, true);
                self.assume(b, true);
            }
            ExprKind::Or(a, b) if !holds => {
                self.assume(a, false);
                self.assume(b, false);
            }
            ExprKind::Local(local) => {
                if let Some(test) = self.state.predicates.get(local).copied() {
                    self.assume(test, holds);
                } else if self.uniform.contains(local) {
                    self.push_path_condition(condition, holds);
                }
            }
            ExprKind::Operation { operation: Operation::Not, args } => {
                if let [inner] = args.as_slice() {
                    self.assume(inner, !holds);
                }
            }
            ExprKind::Operation { operation, args } => {
                if self.is_uniform(condition) {
                    return self.push_path_condition(condition, holds);
                }
                if let Some((a, b, equal)) = as_ordering(*operation, args, holds) {
                    self.record_nonnegative(a, b, equal);
                    let (below, above) = (self.range_of(a), self.range_of(b));
                    let (gap, assumptions) = self.min_gap(a, b, equal);
                    let high = above.high.map(|it| self.context.pool.sub(it, gap));
                    let low = below.low.map(|it| self.context.pool.add(it, gap));
                    self.refine(a, SymRange { low: None, high }, b, &assumptions);
                    self.refine(b, SymRange { low, high: None }, a, &assumptions);
                } else if let ([a, b], true) =
                    (args.as_slice(), *operation == if holds { Operation::Eq } else { Operation::Ne })
                {
                    let (left, right) = (self.range_of(a), self.range_of(b));
                    self.refine(a, right, b, &Assumptions::default());
                    self.refine(b, left, a, &Assumptions::default());
                }
            }
            _ => {}
        }
    }

    /// Records that `above - below` is non-negative, which bounds sums that contain both.
    fn record_nonnegative(&mut self, below: &Expr, above: &Expr, equal: bool) {
        let Some((below, above)) = self.evaluate_without_guards(below, above) else { return };
        let mut gap = self.context.difference(&above, &below);
        if gap.affine.terms().len() < 2 {
            return;
        }
        gap.affine.constant = self.context.pool.sub(gap.affine.constant, SymExpr::Const(i64::from(!equal)));
        if self.state.nonnegative.len() < MAX_NONNEGATIVE_FORMS && !self.state.nonnegative.contains(&gap) {
            self.state.nonnegative.push(gap);
        }
    }

    /// Minimum of `above - below`, and its assumptions. A counter with equal steps stays a whole step below
    /// its bound: `k < n` with `k = 16 * i` gives `k <= n - 16` if 16 divides `n`.
    fn min_gap(&mut self, below: &Expr, above: &Expr, equal: bool) -> (SymExpr, Assumptions) {
        let least = SymExpr::Const(i64::from(!equal));
        let forms = self.evaluate_without_guards(below, above);
        let Some((below, above)) = forms else { return (least, Assumptions::default()) };
        let gap = self.context.difference(&above, &below);
        let by = gap
            .affine
            .terms()
            .try_fold(0, |by, (_, factor)| factor.as_constant().map(|factor| gcd(by, factor.unsigned_abs())));
        let Some(by @ 2..=MAX_COMMON_STEP) = by else { return (least, Assumptions::default()) };
        let by = SymExpr::Const(by as i64);
        let pool = &mut self.context.pool;
        let more = pool.sub(gap.affine.constant, least);
        let whole = pool.floor_div(more, by);
        let whole = pool.mul(whole, by);
        let left = pool.sub(more, whole);
        (pool.add(least, left), gap.assumptions)
    }

    /// Evaluates both sides of a comparison without facts from guards.
    fn evaluate_without_guards(&mut self, below: &Expr, above: &Expr) -> Option<(Form, Form)> {
        if type_range(below.ty).is_none() || below.ty == Ty::U64 || above.ty == Ty::U64 {
            return None;
        }
        let uses_guards = std::mem::replace(&mut self.uses_guards, false);
        let forms = self.evaluate_exact(below).zip(self.evaluate_exact(above));
        self.uses_guards = uses_guards;
        forms.map(|((below, _), (above, _))| (below, above))
    }

    /// Bounds of a form that follow from non-negative forms.
    pub(super) fn bound_by_nonnegative(&mut self, form: &Form) -> Option<(Form, SymRange)> {
        let mut range = self.context.range(form);
        let mut found = form.clone();
        for gap in self.state.nonnegative.clone() {
            for upper in [false, true] {
                let other = match upper {
                    true => self.context.sum(form, &gap),
                    false => self.context.difference(form, &gap),
                };
                if other.affine.terms().len() >= form.affine.terms().len() {
                    continue;
                }
                let SymRange { low, high } = self.context.range(&other);
                let bound = if upper { SymRange { low: None, high } } else { SymRange { low, high: None } };
                range = self.context.intersect(&range, &bound);
                found.assumptions.extend(&gap.assumptions);
            }
        }
        (found.assumptions != form.assumptions || range != self.context.range(form)).then_some((found, range))
    }

    fn push_path_condition(&mut self, condition: &Expr, holds: bool) {
        let condition = self.context.captured(condition);
        let condition = if holds { condition } else { self.context.pool.not(condition) };
        self.state.path_conditions.push(condition);
    }

    fn range_of(&mut self, expr: &Expr) -> SymRange {
        self.evaluate_exact(expr).map_or(SymRange::ALL, |it| it.1)
    }

    /// Refines the range of an expression by the range of another expression.
    fn refine(&mut self, expr: &Expr, range: SymRange, from: &Expr, more: &Assumptions) {
        let expr = strip_widening(expr);
        // A range of a wrapped value is not one of the value before wrapping.
        if type_range(expr.ty).is_none()
            || expr.ty == Ty::U64
            || from.ty == Ty::U64
            || self.is_uniform(expr)
            || !is_pure(expr)
            || matches!(expr.kind, ExprKind::Int(_))
            || range.is_all()
        {
            return;
        }
        let Some((other, _)) = self.evaluate_exact(from) else { return };
        let (mut assumptions, mut all) = (&other.assumptions | more, SymRange::ALL);
        if let Some((form, own)) = self.evaluate_exact(expr) {
            assumptions.extend(&form.assumptions);
            all = own;
        }
        let all = self.context.intersect(&all, &range);
        let form = self.context.symbol(all, assumptions);
        if let Some(key) = ValueKey::of(expr) {
            self.state.refined.insert(key, form);
        }
    }
}

/// Whether an expression has the same value again while its locals are unchanged.
pub(super) fn is_pure(expr: &Expr) -> bool {
    let mut pure = true;
    walk::visit_expr(expr, None, &mut |it, _| {
        pure &= matches!(
            it.kind,
            ExprKind::Local(_)
                | ExprKind::Int(_)
                | ExprKind::Operation { .. }
                | ExprKind::Length { .. }
                | ExprKind::StructField { .. }
                | ExprKind::Select { .. }
        );
    });
    pure
}
