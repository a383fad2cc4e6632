//! Evaluation of integer expressions to affine forms.

use std::collections::BTreeSet;

use super::symbolic::{Affine, AssumptionId, Range, SymInt};
use super::{BoundsChecker, RailLength};
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

/// Identity of an expression. Conversions of a local are equal to the local; an operation has other values in
/// another type.
pub(super) fn expr_key(expr: &Expr) -> String {
    let expr = strip_widening(expr);
    match &expr.kind {
        kind @ ExprKind::Local(_) => format!("{kind:?}"),
        kind => format!("{:?} {kind:?}", expr.ty),
    }
}

impl<'a> BoundsChecker<'_, 'a> {
    /// Evaluates an expression modulo the width of its type; `None` if nothing is known.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Option<Affine> {
        type_range(expr.ty)?;
        if let ExprKind::Int(value) = expr.kind {
            return Some(Affine::constant(SymInt::Const(value)));
        }
        if self.uses_guards {
            let narrow = self.state.refined.get(&expr_key(expr)).cloned();
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
            return Some(Affine::constant(length));
        }
        let converts = matches!(&expr.kind, ExprKind::Operation { operation: Operation::Convert, args }
            if args.first().is_some_and(|it| type_range(it.ty).is_some()));
        if !converts && self.is_uniform(expr) {
            let text = self.code.expr(expr);
            return Some(Affine::constant(self.context.bind_value(&text)));
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
                Some(
                    self.context
                        .symbol((Some(SymInt::Const(low)), Some(SymInt::Const(high))), Default::default()),
                )
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
    ) -> Option<(Affine, Range)> {
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
    fn intersect(&mut self, form: &Affine, other: &Affine, (low, high): Range) -> Affine {
        let own = self.context.range(form);
        let low = match (own.0, low) {
            (Some(a), Some(b)) => Some(self.context.max(&a, &b)),
            (a, b) => a.or(b),
        };
        let high = match (own.1, high) {
            (Some(a), Some(b)) => Some(self.context.min(&a, &b)),
            (a, b) => a.or(b),
        };
        self.context.symbol((low, high), &form.assumptions | &other.assumptions)
    }

    /// Evaluates an expression to its exact value, as its type holds it, and its range.
    pub(super) fn evaluate_exact(&mut self, expr: &Expr) -> Option<(Affine, Range)> {
        let form = self.evaluate(expr)?;
        self.make_exact(form, expr.ty)
    }

    /// The same of an operation, from its operands only.
    pub(super) fn evaluate_exact_operands(&mut self, expr: &Expr) -> Option<(Affine, Range)> {
        let ExprKind::Operation { operation, args } = &expr.kind else { return None };
        let form = self.evaluate_operation(*operation, expr.ty, args)?;
        self.make_exact(form, expr.ty)
    }

    fn make_exact(&mut self, mut form: Affine, ty: Ty) -> Option<(Affine, Range)> {
        let range = self.context.range(&form);
        let (least, most) = type_range(ty)?;
        if !form.exact && ty != Ty::I64 {
            let (Some(low), Some(high)) = &range else { return None };
            let fits = |it: &SymInt| matches!(it, SymInt::Const(value) if (least..=most).contains(value));
            if !fits(low) || !fits(high) {
                let (low, high) = (low.text(), high.text());
                form.assumptions
                    .insert(self.context.assumption(format!("{low} >= {least}LL && {high} <= {most}LL")));
            }
            form.exact = true;
        }
        Some((form, range))
    }

    fn evaluate_operation(&mut self, operation: Operation, ty: Ty, args: &[Expr]) -> Option<Affine> {
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
                    return Some(Affine { exact: to.0 <= from.0, ..form });
                }
                Some(Affine { exact: false, ..self.evaluate(a)? })
            }
            (Operation::Neg, [a]) => {
                let a = self.evaluate(a)?;
                Some(self.context.scale(&a, &SymInt::Const(-1)))
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
                Some(self.context.scale(&a, &SymInt::Const(1 << count)))
            }
            (Operation::Shr, [a, b]) => {
                let ExprKind::Int(count @ 0..=62) = b.kind else { return None };
                let (form, (low, high)) = self.evaluate_exact(a)?;
                let by = SymInt::Const(1 << count);
                let low = low.map(|it| self.context.floor_div(&it, &by));
                let high = high.map(|it| self.context.floor_div(&it, &by));
                Some(self.context.symbol((low, high), form.assumptions))
            }
            (Operation::Div, [a, b]) => self.quotient(a, b),
            (Operation::Rem, [a, b]) => self.remainder(a, b),
            (Operation::And, [a, b]) => self.mask(a, b).or_else(|| self.mask(b, a)),
            (Operation::Or | Operation::Xor, [a, b]) => self.bits(a, b),
            (Operation::Min | Operation::Max, [a, b]) => {
                let (a, b) = (self.evaluate_exact(a)?, self.evaluate_exact(b)?);
                let is_min = operation == Operation::Min;
                let one = |context: &mut super::symbolic::SymbolicContext,
                           a: &Option<SymInt>,
                           b: &Option<SymInt>,
                           tight: bool| match (a, b) {
                    (Some(a), Some(b)) => Some(if is_min { context.min(a, b) } else { context.max(a, b) }),
                    (Some(only), None) | (None, Some(only)) if tight => Some(only.clone()),
                    _ => None,
                };
                let low = one(&mut self.context, &a.1.0, &b.1.0, !is_min);
                let high = one(&mut self.context, &a.1.1, &b.1.1, is_min);
                Some(self.context.symbol((low, high), &a.0.assumptions | &b.0.assumptions))
            }
            _ => None,
        }
    }

    fn product(&mut self, a: &Expr, b: &Expr) -> Option<Affine> {
        let (left, right) = (self.evaluate(a)?, self.evaluate(b)?);
        for (form, other) in [(&left, &right), (&right, &left)] {
            if let Some(factor) = other.as_constant() {
                let mut product = self.context.scale(form, factor);
                product.assumptions.extend(&other.assumptions);
                return Some(product);
            }
        }
        let ((left, (la, ha)), (right, (lb, hb))) = (self.evaluate_exact(a)?, self.evaluate_exact(b)?);
        let (la, ha, lb, hb) = (la?, ha?, lb?, hb?);
        let corners = [(&la, &lb), (&la, &hb), (&ha, &lb), (&ha, &hb)].map(|(a, b)| self.context.mul(a, b));
        let mut range = (corners[0].clone(), corners[0].clone());
        for corner in &corners[1..] {
            range = (self.context.min(&range.0, corner), self.context.max(&range.1, corner));
        }
        let product =
            self.context.symbol((Some(range.0), Some(range.1)), &left.assumptions | &right.assumptions);
        Some(Affine { exact: false, ..product })
    }

    /// Evaluates a positive divisor: assumptions, minimum and maximum.
    fn positive_divisor(&mut self, expr: &Expr) -> Option<(BTreeSet<AssumptionId>, SymInt, Option<SymInt>)> {
        let (mut form, (low, high)) = self.evaluate_exact(expr)?;
        let Some(number) = form.as_constant().cloned() else {
            let low = low.filter(|it| matches!(it, SymInt::Const(1..)))?;
            form.assumptions.insert(self.context.approximation());
            return Some((form.assumptions, low, high));
        };
        match &number {
            SymInt::Const(1..) => {}
            SymInt::Const(_) => return None,
            SymInt::Expr(text) => {
                let text = format!("{text} > 0");
                form.assumptions.insert(self.context.assumption(text));
            }
        }
        Some((form.assumptions, number.clone(), Some(number)))
    }

    fn require_nonnegative(&mut self, form: &mut Affine, low: &Option<SymInt>) -> Option<()> {
        match low.as_ref()? {
            SymInt::Const(0..) => {}
            SymInt::Const(_) => return None,
            SymInt::Expr(text) => {
                let text = format!("{text} >= 0");
                form.assumptions.insert(self.context.assumption(text));
            }
        }
        Some(())
    }

    fn quotient(&mut self, a: &Expr, b: &Expr) -> Option<Affine> {
        let (assumptions, least, most) = self.positive_divisor(b)?;
        let (mut form, (low, high)) = self.evaluate_exact(a)?;
        self.require_nonnegative(&mut form, &low)?;
        let low = low.zip(most).map_or(SymInt::Const(0), |(low, most)| self.context.floor_div(&low, &most));
        let high = high.map(|it| self.context.floor_div(&it, &least));
        Some(self.context.symbol((Some(low), high), &form.assumptions | &assumptions))
    }

    fn remainder(&mut self, a: &Expr, b: &Expr) -> Option<Affine> {
        let (assumptions, _, most) = self.positive_divisor(b)?;
        let most = most.map(|it| self.context.sub(&it, &SymInt::Const(1)));
        let positive = self.evaluate_exact(a).and_then(|(mut form, (low, high))| {
            self.require_nonnegative(&mut form, &low)?;
            Some((form.assumptions, high))
        });
        let Some((more, high)) = positive else {
            // Only the sign of the dividend matters.
            let least = most.as_ref().map(|it| self.context.sub(&SymInt::Const(0), it));
            return Some(self.context.symbol((least, most), assumptions));
        };
        let high = match (high, most) {
            (Some(a), Some(b)) => Some(self.context.min(&a, &b)),
            (a, b) => a.or(b),
        };
        Some(self.context.symbol((Some(SymInt::Const(0)), high), &more | &assumptions))
    }

    /// `a | b` or `a ^ b` of non-negative values: no bit above those of the larger one is set.
    fn bits(&mut self, a: &Expr, b: &Expr) -> Option<Affine> {
        let ((mut a, (low_a, high_a)), (mut b, (low_b, high_b))) =
            (self.evaluate_exact(a)?, self.evaluate_exact(b)?);
        self.require_nonnegative(&mut a, &low_a)?;
        self.require_nonnegative(&mut b, &low_b)?;
        let most = self.context.max(&high_a?, &high_b?);
        let most = self.context.all_ones(&most);
        Some(self.context.symbol((Some(SymInt::Const(0)), Some(most)), &a.assumptions | &b.assumptions))
    }

    /// `a & b` with a non-negative `b`.
    fn mask(&mut self, a: &Expr, b: &Expr) -> Option<Affine> {
        let form = self.evaluate(b)?;
        if let Some(SymInt::Const(most @ 0..)) = form.as_constant() {
            return Some(
                self.context.symbol((Some(SymInt::Const(0)), Some(SymInt::Const(*most))), form.assumptions),
            );
        }
        let (mut form, (low, high)) = self.evaluate_exact(b)?;
        let Some(SymInt::Const(0..)) = low else { return None };
        let other = self.evaluate_exact(a).filter(|it| matches!(it.1.0, Some(SymInt::Const(0..))));
        let high = match (high, other) {
            (Some(high), Some((other, (_, Some(most))))) => {
                form.assumptions.extend(other.assumptions);
                Some(self.context.min(&high, &most))
            }
            (high, _) => high,
        };
        form.assumptions.insert(self.context.approximation());
        Some(self.context.symbol((Some(SymInt::Const(0)), high), form.assumptions))
    }

    /// Number of elements of a rail.
    pub(super) fn length(&mut self, rail: &Expr) -> Option<SymInt> {
        let ExprKind::Local(local) = rail.kind else { return None };
        let local = self.state.aliases.get(&local).copied().unwrap_or(local);
        match self.lengths.get(&local)?.clone() {
            RailLength::Symbolic(number) => Some(number),
            RailLength::HostExpr(text) => Some(self.context.bind_value(&text)),
        }
    }

    /// The length that an expression reads.
    fn length_of(&mut self, expr: &Expr) -> Option<SymInt> {
        match &expr.kind {
            ExprKind::Length { rail, .. } => self.length(rail),
            // The size of a global rail.
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
