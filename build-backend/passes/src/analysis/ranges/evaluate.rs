//! Evaluation of integer expressions to affine forms.

use apg_symbolic::{BinaryOp, Comparison, SymExpr, SymRange};

use super::BoundsChecker;
use super::form::{Assumptions, Form};
use super::value_key::ValueKey;
use apg_mir::walk::{children, visit_expr};
use apg_mir::*;

/// Range of an integer type, as far as signed 64 bits hold it.
pub(super) fn type_range(ty: Ty) -> Option<(i64, i64)> {
    Some(match ty {
        Ty::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        Ty::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Ty::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Ty::U8 => (0, i64::from(u8::MAX)),
        Ty::U16 => (0, i64::from(u16::MAX)),
        Ty::U32 | Ty::Char => (0, i64::from(u32::MAX)),
        Ty::U64 => (0, i64::MAX),
        Ty::I64 => (i64::MIN, i64::MAX),
        _ => return None,
    })
}

/// The expression without conversions that keep its value.
pub(super) fn strip_widening(expr: &Expr) -> &Expr {
    if let ExprKind::Operation { operation: Operation::Convert, args } = &expr.kind
        && let [inner] = args.as_slice()
        && let (Some(to), Some(from)) = (type_range(expr.ty), type_range(inner.ty))
        && to.0 <= from.0
        && from.1 <= to.1
    {
        return strip_widening(inner);
    }
    expr
}

impl<'a> BoundsChecker<'a> {
    /// Evaluates an expression modulo the width of its type; `None` if nothing is known.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Option<Form> {
        type_range(expr.ty)?;
        if let ExprKind::Int(value) = expr.kind {
            return Some(Form::constant(SymExpr::Const(value)));
        }
        if self.uses_guards {
            let narrow = ValueKey::of(expr).and_then(|it| self.state.refined.get(&it).cloned());
            match (narrow, self.definition_of(expr)) {
                (Some(form), Some(definition)) => {
                    let Some((other, range)) = self.evaluate_exact(definition) else { return Some(form) };
                    return Some(self.intersect(&form, &other, range));
                }
                (None, Some(definition)) => return self.evaluate(definition),
                (Some(form), None) => return Some(form),
                (None, None) => {}
            }
        }
        if let Some(length) = self.length_of(expr) {
            return Some(Form::constant(length));
        }
        let converts = matches!(&expr.kind, ExprKind::Operation { operation: Operation::Convert, args }
            if args.first().is_some_and(|it| type_range(it.ty).is_some()));
        if !converts && self.is_uniform(expr) {
            return Some(Form::constant(self.context.captured(expr)));
        }
        match &expr.kind {
            ExprKind::Local(local) => self.state.values.get(local).cloned(),
            ExprKind::Operation { operation, args } => self.evaluate_operation(*operation, expr.ty, args),
            ExprKind::Select { condition, then, otherwise } => {
                let (a, b) = (
                    self.evaluate_exact_where(condition, true, then)?,
                    self.evaluate_exact_where(condition, false, otherwise)?,
                );
                let range = self.context.hull(&a.1, &b.1);
                Some(self.context.symbol(range, &a.0.assumptions | &b.0.assumptions))
            }
            // The range of a small type bounds any value of it.
            _ if matches!(expr.ty, Ty::I8 | Ty::U8 | Ty::I16 | Ty::U16) => {
                let (low, high) = type_range(expr.ty)?;
                let range = SymRange::new(SymExpr::Const(low), SymExpr::Const(high));
                Some(self.context.symbol(range, Assumptions::default()))
            }
            _ => None,
        }
    }

    /// Evaluates an expression where a condition has the value `holds`.
    fn evaluate_exact_where(
        &mut self,
        condition: &Expr,
        holds: bool,
        expr: &Expr,
    ) -> Option<(Form, SymRange)> {
        if !self.uses_guards {
            return self.evaluate_exact(expr);
        }
        let before = self.state.clone();
        self.assume(condition, holds);
        let found = self.evaluate_exact(expr);
        self.state = before;
        found
    }

    /// Definition of a local, within the expansion budget.
    fn definition_of(&mut self, expr: &Expr) -> Option<&'a Expr> {
        let ExprKind::Local(local) = expr.kind else { return None };
        let definition = self.state.definitions.get(&local).copied()?;
        self.expansion_budget = self.expansion_budget.checked_sub(1)?;
        Some(definition)
    }

    /// A value in the ranges of both forms.
    fn intersect(&mut self, form: &Form, other: &Form, range: SymRange) -> Form {
        let own = self.context.range(form);
        let range = self.context.intersect(&own, &range);
        self.context.symbol(range, &form.assumptions | &other.assumptions)
    }

    /// Evaluates an expression to its exact value, as its type holds it, and its range.
    pub(super) fn evaluate_exact(&mut self, expr: &Expr) -> Option<(Form, SymRange)> {
        let form = self.evaluate(expr)?;
        self.make_exact(form, expr.ty)
    }

    /// The same of an operation, from its operands only.
    pub(super) fn evaluate_exact_operands(&mut self, expr: &Expr) -> Option<(Form, SymRange)> {
        let ExprKind::Operation { operation, args } = &expr.kind else { return None };
        let form = self.evaluate_operation(*operation, expr.ty, args)?;
        self.make_exact(form, expr.ty)
    }

    fn make_exact(&mut self, mut form: Form, ty: Ty) -> Option<(Form, SymRange)> {
        let range = self.context.range(&form);
        let limits = type_range(ty)?;
        if !form.is_exact && ty != Ty::I64 {
            form.assumptions.insert(self.context.is_within(&range, limits)?);
            form.is_exact = true;
        }
        Some((form, range))
    }

    fn evaluate_operation(&mut self, operation: Operation, ty: Ty, args: &[Expr]) -> Option<Form> {
        let modular = matches!(
            operation,
            Operation::Convert | Operation::Neg | Operation::Add | Operation::Sub | Operation::Mul
        );
        if ty == Ty::U64 && !modular {
            return None;
        }
        match (operation, args) {
            (Operation::Convert, [a]) => {
                // A narrower value is extended; a wider one is truncated to its lower bits.
                let (to, from) = (type_range(ty)?, type_range(a.ty)?);
                if to.1 >= from.1 {
                    let form = self.evaluate_exact(a)?.0;
                    return Some(Form { is_exact: to.0 <= from.0, ..form });
                }
                Some(Form { is_exact: false, ..self.evaluate(a)? })
            }
            (Operation::Neg, [a]) => {
                let a = self.evaluate(a)?;
                Some(self.context.scale(&a, SymExpr::Const(-1)))
            }
            (Operation::Add, [a, b]) => {
                let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
                Some(self.context.sum(&a, &b))
            }
            (Operation::Sub, [a, b]) => {
                let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
                Some(self.context.difference(&a, &b))
            }
            (Operation::Mul, [a, b]) => self.product(a, b),
            (Operation::Shl, [a, b]) => {
                let ExprKind::Int(count @ 0..=62) = b.kind else { return None };
                let a = self.evaluate(a)?;
                Some(self.context.scale(&a, SymExpr::Const(1 << count)))
            }
            (Operation::Shr, [a, b]) => {
                let ExprKind::Int(count @ 0..=62) = b.kind else { return None };
                let (form, range) = self.evaluate_exact(a)?;
                let by = SymExpr::Const(1 << count);
                let low = range.low.map(|it| self.context.pool.floor_div(it, by));
                let high = range.high.map(|it| self.context.pool.floor_div(it, by));
                Some(self.context.symbol(SymRange { low, high }, form.assumptions))
            }
            (Operation::Div | Operation::DivUndefined, [a, b]) => self.quotient(a, b),
            (Operation::Rem | Operation::RemUndefined, [a, b]) => self.remainder(a, b),
            (Operation::And, [a, b]) => self.mask(a, b).or_else(|| self.mask(b, a)),
            (Operation::Or | Operation::Xor, [a, b]) => self.bits(a, b),
            (Operation::Min | Operation::Max, [a, b]) => {
                let (a, b) = (self.evaluate_exact(a)?, self.evaluate_exact(b)?);
                let op = if operation == Operation::Min { BinaryOp::Min } else { BinaryOp::Max };
                let mut bound = |a: Option<SymExpr>, b: Option<SymExpr>, one_suffices: bool| {
                    let both = a.zip(b).map(|(a, b)| self.context.pool.binary(op, a, b));
                    both.or(a.or(b).filter(|_| one_suffices))
                };
                let low = bound(a.1.low, b.1.low, op == BinaryOp::Max);
                let high = bound(a.1.high, b.1.high, op == BinaryOp::Min);
                Some(self.context.symbol(SymRange { low, high }, &a.0.assumptions | &b.0.assumptions))
            }
            _ => None,
        }
    }

    fn product(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let (left, right) = (self.evaluate(a)?, self.evaluate(b)?);
        for (form, other) in [(&left, &right), (&right, &left)] {
            if let Some(factor) = other.as_constant() {
                let mut product = self.context.scale(form, factor);
                product.assumptions.extend(&other.assumptions);
                return Some(product);
            }
        }
        let ((left, first), (right, second)) = (self.evaluate_exact(a)?, self.evaluate_exact(b)?);
        let (low, high) = ((first.low?, second.low?), (first.high?, second.high?));
        let pairs = [(low.0, low.1), (low.0, high.1), (high.0, low.1), (high.0, high.1)];
        let corners = pairs.map(|(a, b)| SymRange::constant(self.context.pool.mul(a, b)));
        let range = corners[1..].iter().fold(corners[0], |all, corner| self.context.hull(&all, corner));
        let product = self.context.symbol(range, &left.assumptions | &right.assumptions);
        Some(Form { is_exact: false, ..product })
    }

    /// Evaluates a positive divisor: assumptions, minimum and maximum.
    fn positive_divisor(&mut self, expr: &Expr) -> Option<(Assumptions, SymExpr, Option<SymExpr>)> {
        let (mut form, SymRange { low, high }) = self.evaluate_exact(expr)?;
        let Some(number) = form.as_constant() else {
            let low = low.filter(|it| matches!(it, SymExpr::Const(1..)))?;
            form.assumptions.is_approximate = true;
            return Some((form.assumptions, low, high));
        };
        let is_positive = self.context.test(Comparison::Greater, number, 0);
        if is_positive == SymExpr::FALSE {
            return None;
        }
        form.assumptions.insert(is_positive);
        Some((form.assumptions, number, Some(number)))
    }

    fn require_nonnegative(&mut self, form: &mut Form, low: Option<SymExpr>) -> Option<()> {
        let is_nonnegative = self.context.test(Comparison::GreaterEqual, low?, 0);
        if is_nonnegative == SymExpr::FALSE {
            return None;
        }
        form.assumptions.insert(is_nonnegative);
        Some(())
    }

    fn quotient(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let (assumptions, least, most) = self.positive_divisor(b)?;
        let (mut form, SymRange { low, high }) = self.evaluate_exact(a)?;
        self.require_nonnegative(&mut form, low)?;
        let low =
            low.zip(most).map_or(SymExpr::Const(0), |(low, most)| self.context.pool.floor_div(low, most));
        let high = high.map(|it| self.context.pool.floor_div(it, least));
        Some(self.context.symbol(SymRange { low: Some(low), high }, &form.assumptions | &assumptions))
    }

    fn remainder(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let (assumptions, _, most) = self.positive_divisor(b)?;
        let most = most.map(|it| self.context.pool.sub(it, SymExpr::Const(1)));
        let positive = self.evaluate_exact(a).and_then(|(mut form, range)| {
            self.require_nonnegative(&mut form, range.low)?;
            Some((form.assumptions, range.high))
        });
        let Some((more, high)) = positive else {
            // Only the sign of the dividend matters.
            let least = most.map(|it| self.context.pool.sub(SymExpr::Const(0), it));
            return Some(self.context.symbol(SymRange { low: least, high: most }, assumptions));
        };
        let high = high.zip(most).map(|(a, b)| self.context.pool.min(a, b)).or(high).or(most);
        let range = SymRange { low: Some(SymExpr::Const(0)), high };
        Some(self.context.symbol(range, &more | &assumptions))
    }

    /// `a | b` or `a ^ b` of non-negative values: no bit above those of the larger one is set.
    fn bits(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let ((mut a, first), (mut b, second)) = (self.evaluate_exact(a)?, self.evaluate_exact(b)?);
        self.require_nonnegative(&mut a, first.low)?;
        self.require_nonnegative(&mut b, second.low)?;
        let most = self.context.pool.max(first.high?, second.high?);
        let most = self.context.pool.all_ones(most);
        let range = SymRange::new(SymExpr::Const(0), most);
        Some(self.context.symbol(range, &a.assumptions | &b.assumptions))
    }

    /// `a & b` with a non-negative `b`.
    fn mask(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let form = self.evaluate(b)?;
        if let Some(most @ SymExpr::Const(0..)) = form.as_constant() {
            return Some(self.context.symbol(SymRange::new(SymExpr::Const(0), most), form.assumptions));
        }
        let (mut form, range) = self.evaluate_exact(b)?;
        let Some(SymExpr::Const(0..)) = range.low else { return None };
        let other = self.evaluate_exact(a).filter(|it| matches!(it.1.low, Some(SymExpr::Const(0..))));
        let high = match (range.high, other) {
            (Some(high), Some((other, SymRange { high: Some(most), .. }))) => {
                form.assumptions.extend(&other.assumptions);
                Some(self.context.pool.min(high, most))
            }
            (high, _) => high,
        };
        form.assumptions.is_approximate = true;
        Some(self.context.symbol(SymRange { low: Some(SymExpr::Const(0)), high }, form.assumptions))
    }

    /// Number of elements of an array.
    pub(super) fn length(&self, rail: &Expr) -> Option<SymExpr> {
        let ExprKind::Local(local) = rail.kind else { return None };
        let local = self.state.aliases.get(&local).copied().unwrap_or(local);
        self.lengths.get(&local).copied()
    }

    /// The length that an expression reads.
    fn length_of(&self, expr: &Expr) -> Option<SymExpr> {
        match &expr.kind {
            ExprKind::Length { rail, .. } => self.length(rail),
            // The size of a global array.
            ExprKind::StructField { value, field: 0 } => self.length(value),
            _ => None,
        }
    }

    /// Whether an expression depends on captures alone, and evaluates on the host without exceptions.
    pub(super) fn is_uniform(&self, expr: &Expr) -> bool {
        let mut uniform = true;
        visit_expr(expr, None, &mut |it, _| {
            uniform &= match &it.kind {
                ExprKind::Local(local) => self.uniform.contains(local),
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero => true,
                ExprKind::StructField { .. }
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Select { .. } => true,
                ExprKind::Operation { operation: Operation::Div | Operation::Rem, args } => {
                    matches!(args.get(1).map(|it| &it.kind), Some(ExprKind::Int(value)) if *value != 0)
                }
                ExprKind::Operation { .. } => true,
                _ => false,
            }
        });
        uniform && (matches!(expr.kind, ExprKind::Local(_)) || !children(&expr.kind).is_empty())
    }
}
