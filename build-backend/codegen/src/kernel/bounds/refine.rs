//! What a condition says of the values in it.

use std::collections::BTreeSet;

use super::Prover;
use super::evaluate::{key, limits, plain};
use super::symbolic::{FactId, Form, Num, Range};
use apg_mir::*;

/// How many such facts are kept.
const MOST_GAPS: usize = 16;
/// The widest step of a counter whose distance to a bound is looked at.
const MOST_APART: u64 = 1 << 30;

/// `a < b` (or `a <= b`) that holds: smaller side, larger side, whether they may be equal.
pub fn ordered(operation: Operation, args: &[Expr], holds: bool) -> Option<(&Expr, &Expr, bool)> {
    let [a, b] = args else { return None };
    Some(match (operation, holds) {
        (Operation::Lt, true) | (Operation::Ge, false) => (a, b, false),
        (Operation::Le, true) | (Operation::Gt, false) => (a, b, true),
        (Operation::Gt, true) | (Operation::Le, false) => (b, a, false),
        (Operation::Ge, true) | (Operation::Lt, false) => (b, a, true),
        _ => return None,
    })
}

impl Prover<'_, '_> {
    /// From here on the condition is known to hold, or not to.
    pub fn assume(&mut self, condition: &Expr, holds: bool) {
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
                if let Some(test) = self.state.tests.get(local).copied() {
                    self.assume(test, holds);
                } else if self.uniform.contains(local) {
                    self.reached(condition, holds);
                }
            }
            ExprKind::Operation { operation: Operation::Not, args } => {
                if let [inner] = args.as_slice() {
                    self.assume(inner, !holds);
                }
            }
            ExprKind::Operation { operation, args } => {
                if self.is_uniform(condition) {
                    return self.reached(condition, holds);
                }
                if let Some((a, b, equal)) = ordered(*operation, args, holds) {
                    self.learn(a, b, equal);
                    let (below, above) = (self.bounds(a), self.bounds(b));
                    let (gap, facts) = self.least_gap(a, b, equal);
                    let most = above.1.clone().map(|it| self.book.sub(&it, &gap));
                    let least = below.0.clone().map(|it| self.book.add(&it, &gap));
                    self.narrow(a, (None, most), b, &facts);
                    self.narrow(b, (least, None), a, &facts);
                } else if let ([a, b], true) =
                    (args.as_slice(), *operation == if holds { Operation::Eq } else { Operation::Ne })
                {
                    let (left, right) = (self.bounds(a), self.bounds(b));
                    self.narrow(a, right, b, &BTreeSet::new());
                    self.narrow(b, left, a, &BTreeSet::new());
                }
            }
            _ => {}
        }
    }

    /// The one is not beyond the other: sums that both are part of are bounded by that.
    fn learn(&mut self, below: &Expr, above: &Expr, equal: bool) {
        let Some((below, above)) = self.unguarded(below, above) else { return };
        let mut gap = self.book.difference(&above, &below);
        if gap.terms.len() < 2 {
            return;
        }
        gap.constant = self.book.sub(&gap.constant, &Num::Known(i64::from(!equal)));
        if self.state.gaps.len() < MOST_GAPS && !self.state.gaps.contains(&gap) {
            self.state.gaps.push(gap);
        }
    }

    /// The least that two values can be apart where the one is below the other, and what that rests on. Between what goes up in
    /// equal steps and a bound, it is what is left of the bound: behind `k < n` and `k = 16 * turn`, if 16 divides `n`, `k <= n - 16`.
    fn least_gap(&mut self, below: &Expr, above: &Expr, equal: bool) -> (Num, BTreeSet<FactId>) {
        let least = Num::Known(i64::from(!equal));
        let forms = self.unguarded(below, above);
        let Some((below, above)) = forms else { return (least, BTreeSet::new()) };
        let gap = self.book.difference(&above, &below);
        let by = gap.terms.values().try_fold(0, |by, factor| match factor {
            Num::Known(factor) => Some(common(by, factor.unsigned_abs())),
            Num::Text(_) => None,
        });
        let Some(by @ 2..=MOST_APART) = by else { return (least, BTreeSet::new()) };
        let by = Num::Known(by as i64);
        let more = self.book.sub(&gap.constant, &least);
        let whole = self.book.floor(&more, &by);
        let whole = self.book.mul(&whole, &by);
        let left = self.book.sub(&more, &whole);
        (self.book.add(&least, &left), gap.facts)
    }

    /// The values that are compared, without what guards say of them.
    fn unguarded(&mut self, below: &Expr, above: &Expr) -> Option<(Form, Form)> {
        if limits(below.ty).is_none() || below.ty == Ty::U64 || above.ty == Ty::U64 {
            return None;
        }
        let narrowed = std::mem::replace(&mut self.narrowed, false);
        let forms = self.exact(below).zip(self.exact(above));
        self.narrowed = narrowed;
        forms.map(|((below, _), (above, _))| (below, above))
    }

    /// The bounds of a form that follow from what is known not to be negative.
    pub fn bounded_by_gaps(&mut self, form: &Form) -> Option<(Form, Range)> {
        let mut range = self.book.range(form);
        let mut found = form.clone();
        for gap in self.state.gaps.clone() {
            for upper in [false, true] {
                let other = match upper {
                    true => self.book.sum(form, &gap),
                    false => self.book.difference(form, &gap),
                };
                if other.terms.len() >= form.terms.len() {
                    continue;
                }
                let (low, high) = self.book.range(&other);
                let (mine, theirs) = if upper { (&mut range.1, high) } else { (&mut range.0, low) };
                *mine = match (mine.take(), theirs) {
                    (Some(a), Some(b)) if upper => Some(self.book.min(&a, &b)),
                    (Some(a), Some(b)) => Some(self.book.max(&a, &b)),
                    (a, b) => a.or(b),
                };
                found.facts.extend(&gap.facts);
            }
        }
        (found.facts != form.facts || range != self.book.range(form)).then_some((found, range))
    }

    fn reached(&mut self, condition: &Expr, holds: bool) {
        let text = self.code.expr(condition);
        let text = if holds { text } else { format!("!({text})") };
        let fact = self.book.fact(text);
        self.state.path.push(format!("q{fact}"));
    }

    fn bounds(&mut self, expr: &Expr) -> Range {
        self.exact(expr).map_or((None, None), |it| it.1)
    }

    /// An expression is within a range as well; the range comes from another one.
    fn narrow(&mut self, expr: &Expr, range: Range, from: &Expr, more: &BTreeSet<FactId>) {
        let expr = plain(expr);
        // A narrower range of a wrapped value is not one of the value before.
        if limits(expr.ty).is_none()
            || expr.ty == Ty::U64
            || from.ty == Ty::U64
            || self.is_uniform(expr)
            || !is_pure(expr)
            || matches!(expr.kind, ExprKind::Int(_))
            || range == (None, None)
        {
            return;
        }
        let Some((other, _)) = self.exact(from) else { return };
        let (mut facts, mut all) = (&other.facts | more, (None, None));
        if let Some((form, own)) = self.exact(expr) {
            facts.extend(&form.facts);
            all = own;
        }
        let low = match (all.0, range.0) {
            (Some(a), Some(b)) => Some(self.book.max(&a, &b)),
            (a, b) => a.or(b),
        };
        let high = match (all.1, range.1) {
            (Some(a), Some(b)) => Some(self.book.min(&a, &b)),
            (a, b) => a.or(b),
        };
        let form = self.book.atom((low, high), facts);
        self.state.narrow.insert(key(expr), form);
    }
}

/// The greatest number that divides both.
fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
}

/// Whether an expression has the same value again, as long as its locals have.
pub fn is_pure(expr: &Expr) -> bool {
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
