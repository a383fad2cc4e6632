//! Affine forms that are the value of an expression under assumptions, and the symbols they consist of.

use std::collections::BTreeSet;
use std::ops::BitOr;

use apg_symbolic::{Affine, Comparison, ExprPool, SymExpr, SymRange};

use super::launch_conditions::LaunchValue;
use apg_mir::Expr;

/// Number of a symbol in [`SymbolicContext`].
pub(super) type SymbolId = u32;

/// Conditions under which a form is the value of an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Assumptions {
    /// Conditions that the host evaluates at launch.
    conditions: BTreeSet<SymExpr>,
    /// The form over-approximates. A condition on it is never tested at launch: a test that often fails would
    /// cost a second compiled variant.
    pub is_approximate: bool,
}

impl Assumptions {
    /// Adds a condition.
    pub(super) fn insert(&mut self, condition: SymExpr) {
        if condition != SymExpr::TRUE {
            self.conditions.insert(condition);
        }
    }

    /// Adds all of another set.
    pub(super) fn extend(&mut self, other: &Assumptions) {
        self.conditions.extend(&other.conditions);
        self.is_approximate |= other.is_approximate;
    }

    /// The conditions.
    pub(super) fn conditions(&self) -> impl Iterator<Item = SymExpr> {
        self.conditions.iter().copied()
    }
}

impl BitOr for &Assumptions {
    type Output = Assumptions;

    fn bitor(self, other: &Assumptions) -> Assumptions {
        let mut all = self.clone();
        all.extend(other);
        all
    }
}

/// The value of an expression: an affine form of symbols whose coefficients the host knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// The form.
    pub affine: Affine<SymbolId, SymExpr>,
    /// Conditions under which the form is the value.
    pub assumptions: Assumptions,
    /// The form is the value itself, rather than modulo the width of the type.
    pub is_exact: bool,
}

impl Form {
    /// A form without symbols.
    pub(super) fn constant(constant: SymExpr) -> Form {
        Form { affine: Affine::from_constant(constant), assumptions: Assumptions::default(), is_exact: true }
    }

    /// The constant, if the form has no symbol.
    pub(super) fn as_constant(&self) -> Option<SymExpr> {
        self.affine.as_constant().copied()
    }

    /// The only symbol of a form that [`SymbolicContext::symbol`] made.
    pub(super) fn as_symbol(&self) -> Option<SymbolId> {
        self.affine.terms().next().map(|it| *it.0)
    }
}

/// Symbols, their ranges, and the expressions that the host evaluates.
#[derive(Default)]
pub(super) struct SymbolicContext {
    /// Expressions over what the host knows at launch.
    pub pool: ExprPool<LaunchValue>,
    /// Expressions over captures, by their numbers in [`LaunchValue::Captured`].
    pub captured: Vec<Expr>,
    symbols: Vec<SymRange>,
}

impl SymbolicContext {
    /// A value that the host knows.
    pub(super) fn launch_value(&mut self, value: LaunchValue) -> SymExpr {
        self.pool.symbol(value)
    }

    /// The value of an expression over captures.
    pub(super) fn captured(&mut self, expr: &Expr) -> SymExpr {
        let number = self.captured.iter().position(|it| it == expr).unwrap_or_else(|| {
            self.captured.push(expr.clone());
            self.captured.len() - 1
        });
        self.pool.symbol(LaunchValue::Captured(number as u32))
    }

    /// A new symbol with that range, which is valid under assumptions.
    pub(super) fn symbol(&mut self, range: SymRange, assumptions: Assumptions) -> Form {
        if let (Some(low), Some(high)) = (range.low, range.high)
            && low == high
        {
            return Form { assumptions, ..Form::constant(low) };
        }
        self.symbols.push(range);
        let id = (self.symbols.len() - 1) as SymbolId;
        Form { affine: Affine::symbol_in(id, &mut self.pool), assumptions, is_exact: true }
    }

    /// The range of a symbol, which may be narrowed later.
    pub(super) fn range_of(&mut self, id: SymbolId) -> &mut SymRange {
        &mut self.symbols[id as usize]
    }

    /// `a + factor * b`.
    fn add_scaled(&mut self, a: &Form, factor: SymExpr, b: &Form) -> Form {
        let assumptions = &a.assumptions | &b.assumptions;
        match a.affine.add_scaled_in(&factor, &b.affine, &mut self.pool) {
            Some(affine) => Form { affine, assumptions, is_exact: false },
            None => Form { is_exact: false, ..self.symbol(SymRange::ALL, assumptions) },
        }
    }

    /// Sum of two forms.
    pub(super) fn sum(&mut self, a: &Form, b: &Form) -> Form {
        self.add_scaled(a, SymExpr::Const(1), b)
    }

    /// A form times a number.
    pub(super) fn scale(&mut self, a: &Form, factor: SymExpr) -> Form {
        let zero = Form::constant(SymExpr::Const(0));
        self.add_scaled(&zero, factor, a)
    }

    /// `a - b`.
    pub(super) fn difference(&mut self, a: &Form, b: &Form) -> Form {
        if let (Some(left), Some(right)) = (a.as_constant(), b.as_constant()) {
            let assumptions = &a.assumptions | &b.assumptions;
            let gap = self.pool.sub(left, right);
            return Form { assumptions, is_exact: false, ..Form::constant(gap) };
        }
        self.add_scaled(a, SymExpr::Const(-1), b)
    }

    /// Range of a form.
    pub(super) fn range(&mut self, form: &Form) -> SymRange {
        let symbols = &self.symbols;
        SymRange::of_affine(&form.affine, |it| symbols[*it as usize], &mut self.pool)
    }

    /// The smallest range that contains both.
    pub(super) fn hull(&mut self, a: &SymRange, b: &SymRange) -> SymRange {
        a.hull(b, &mut self.pool)
    }

    /// The members of both ranges.
    pub(super) fn intersect(&mut self, a: &SymRange, b: &SymRange) -> SymRange {
        a.intersect(b, &mut self.pool)
    }

    /// The condition that a range, which has members, is within limits; `None` for an unbounded range. It is
    /// false as soon as one bound is outside, whatever the other one is.
    pub(super) fn is_within(&mut self, range: &SymRange, (least, most): (i64, i64)) -> Option<SymExpr> {
        let (low, high) = (range.low?, range.high?);
        let is_outside = |bound: SymExpr| matches!(bound, SymExpr::Const(it) if it < least || it > most);
        if is_outside(low) || is_outside(high) {
            return Some(SymExpr::FALSE);
        }
        let low = self.pool.compare(Comparison::GreaterEqual, low, SymExpr::Const(least));
        let high = self.pool.compare(Comparison::LessEqual, high, SymExpr::Const(most));
        Some(self.pool.all([low, high]))
    }

    /// The condition `a op b` with a constant.
    pub(super) fn test(&mut self, op: Comparison, a: SymExpr, b: i64) -> SymExpr {
        self.pool.compare(op, a, SymExpr::Const(b))
    }
}
