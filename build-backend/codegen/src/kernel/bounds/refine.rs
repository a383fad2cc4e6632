//! Refinement of values by conditions that hold on a path.

use std::collections::BTreeSet;

use super::BoundsChecker;
use super::evaluate::{expr_key, strip_widening, type_range};
use super::symbolic::{Affine, AssumptionId, Range, SymInt};
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

impl BoundsChecker<'_, '_> {
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
                    let most = above.1.clone().map(|it| self.context.sub(&it, &gap));
                    let least = below.0.clone().map(|it| self.context.add(&it, &gap));
                    self.refine(a, (None, most), b, &assumptions);
                    self.refine(b, (least, None), a, &assumptions);
                } else if let ([a, b], true) =
                    (args.as_slice(), *operation == if holds { Operation::Eq } else { Operation::Ne })
                {
                    let (left, right) = (self.range_of(a), self.range_of(b));
                    self.refine(a, right, b, &BTreeSet::new());
                    self.refine(b, left, a, &BTreeSet::new());
                }
            }
            _ => {}
        }
    }

    /// Records that `above - below` is non-negative, which bounds sums that contain both.
    fn record_nonnegative(&mut self, below: &Expr, above: &Expr, equal: bool) {
        let Some((below, above)) = self.evaluate_without_guards(below, above) else { return };
        let mut gap = self.context.difference(&above, &below);
        if gap.terms.len() < 2 {
            return;
        }
        gap.constant = self.context.sub(&gap.constant, &SymInt::Const(i64::from(!equal)));
        if self.state.nonnegative.len() < MAX_NONNEGATIVE_FORMS && !self.state.nonnegative.contains(&gap) {
            self.state.nonnegative.push(gap);
        }
    }

    /// Minimum of `above - below`, and its assumptions. A counter with equal steps stays a whole step below
    /// its bound: `k < n` with `k = 16 * i` gives `k <= n - 16` if 16 divides `n`.
    fn min_gap(&mut self, below: &Expr, above: &Expr, equal: bool) -> (SymInt, BTreeSet<AssumptionId>) {
        let least = SymInt::Const(i64::from(!equal));
        let forms = self.evaluate_without_guards(below, above);
        let Some((below, above)) = forms else { return (least, BTreeSet::new()) };
        let gap = self.context.difference(&above, &below);
        let by = gap.terms.values().try_fold(0, |by, factor| match factor {
            SymInt::Const(factor) => Some(gcd(by, factor.unsigned_abs())),
            SymInt::Expr(_) => None,
        });
        let Some(by @ 2..=MAX_COMMON_STEP) = by else { return (least, BTreeSet::new()) };
        let by = SymInt::Const(by as i64);
        let more = self.context.sub(&gap.constant, &least);
        let whole = self.context.floor_div(&more, &by);
        let whole = self.context.mul(&whole, &by);
        let left = self.context.sub(&more, &whole);
        (self.context.add(&least, &left), gap.assumptions)
    }

    /// Evaluates both sides of a comparison without facts from guards.
    fn evaluate_without_guards(&mut self, below: &Expr, above: &Expr) -> Option<(Affine, Affine)> {
        if type_range(below.ty).is_none() || below.ty == Ty::U64 || above.ty == Ty::U64 {
            return None;
        }
        let uses_guards = std::mem::replace(&mut self.uses_guards, false);
        let forms = self.evaluate_exact(below).zip(self.evaluate_exact(above));
        self.uses_guards = uses_guards;
        forms.map(|((below, _), (above, _))| (below, above))
    }

    /// Bounds of a form that follow from non-negative forms.
    pub(super) fn bound_by_nonnegative(&mut self, form: &Affine) -> Option<(Affine, Range)> {
        let mut range = self.context.range(form);
        let mut found = form.clone();
        for gap in self.state.nonnegative.clone() {
            for upper in [false, true] {
                let other = match upper {
                    true => self.context.sum(form, &gap),
                    false => self.context.difference(form, &gap),
                };
                if other.terms.len() >= form.terms.len() {
                    continue;
                }
                let (low, high) = self.context.range(&other);
                let (mine, theirs) = if upper { (&mut range.1, high) } else { (&mut range.0, low) };
                *mine = match (mine.take(), theirs) {
                    (Some(a), Some(b)) if upper => Some(self.context.min(&a, &b)),
                    (Some(a), Some(b)) => Some(self.context.max(&a, &b)),
                    (a, b) => a.or(b),
                };
                found.assumptions.extend(&gap.assumptions);
            }
        }
        (found.assumptions != form.assumptions || range != self.context.range(form)).then_some((found, range))
    }

    fn push_path_condition(&mut self, condition: &Expr, holds: bool) {
        let text = self.code.expr(condition);
        let text = if holds { text } else { format!("!({text})") };
        let assumption = self.context.assumption(text);
        self.state.path_conditions.push(format!("q{assumption}"));
    }

    fn range_of(&mut self, expr: &Expr) -> Range {
        self.evaluate_exact(expr).map_or((None, None), |it| it.1)
    }

    /// Refines the range of an expression by the range of another expression.
    fn refine(&mut self, expr: &Expr, range: Range, from: &Expr, more: &BTreeSet<AssumptionId>) {
        let expr = strip_widening(expr);
        // A range of a wrapped value is not one of the value before wrapping.
        if type_range(expr.ty).is_none()
            || expr.ty == Ty::U64
            || from.ty == Ty::U64
            || self.is_uniform(expr)
            || !is_pure(expr)
            || matches!(expr.kind, ExprKind::Int(_))
            || range == (None, None)
        {
            return;
        }
        let Some((other, _)) = self.evaluate_exact(from) else { return };
        let (mut assumptions, mut all) = (&other.assumptions | more, (None, None));
        if let Some((form, own)) = self.evaluate_exact(expr) {
            assumptions.extend(&form.assumptions);
            all = own;
        }
        let low = match (all.0, range.0) {
            (Some(a), Some(b)) => Some(self.context.max(&a, &b)),
            (a, b) => a.or(b),
        };
        let high = match (all.1, range.1) {
            (Some(a), Some(b)) => Some(self.context.min(&a, &b)),
            (a, b) => a.or(b),
        };
        let form = self.context.symbol((low, high), assumptions);
        self.state.refined.insert(expr_key(expr), form);
    }
}

/// Greatest common divisor.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
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
