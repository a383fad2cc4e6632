//! Values of integer expressions as forms.

use std::collections::BTreeSet;

use super::symbolic::{FactId, Form, Num, Range};
use super::{Bound, Prover};
use apg_mir::walk::{children, visit_expr};
use apg_mir::*;

/// The values of an integer type, as far as 64 signed bits hold them.
pub fn limits(ty: Ty) -> Option<(i64, i64)> {
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

/// Conversions that keep the value, taken off.
pub fn plain(expr: &Expr) -> &Expr {
    if let ExprKind::Operation { operation: Operation::Convert, args } = &expr.kind
        && let [inner] = args.as_slice()
        && let (Some(to), Some(from)) = (limits(expr.ty), limits(inner.ty))
        && to.0 <= from.0
        && from.1 <= to.1
    {
        return plain(inner);
    }
    expr
}

/// What identifies an expression. Of a local its number does, whatever it is converted to; one operation gives other values in another type.
pub fn key(expr: &Expr) -> String {
    let expr = plain(expr);
    match &expr.kind {
        kind @ ExprKind::Local(_) => format!("{kind:?}"),
        kind => format!("{:?} {kind:?}", expr.ty),
    }
}

impl<'a> Prover<'_, 'a> {
    /// The value of an expression, known modulo the width of its type; none if nothing is known.
    pub fn value(&mut self, expr: &Expr) -> Option<Form> {
        limits(expr.ty)?;
        if let ExprKind::Int(value) = expr.kind {
            return Some(Form::point(Num::Known(value)));
        }
        if self.narrowed {
            let narrow = self.state.narrow.get(&key(expr)).cloned();
            match (narrow, self.behind(expr)) {
                (Some(form), Some(definition)) => {
                    let Some((other, range)) = self.exact(definition) else { return Some(form) };
                    return Some(self.both(&form, &other, range));
                }
                (None, Some(definition)) => return self.value(definition),
                (Some(form), None) => return Some(form),
                (None, None) => {}
            }
        }
        if let Some(length) = self.length_of(expr) {
            return Some(Form::point(length));
        }
        let converts = matches!(&expr.kind, ExprKind::Operation { operation: Operation::Convert, args }
            if args.first().is_some_and(|it| limits(it.ty).is_some()));
        if !converts && self.is_uniform(expr) {
            let text = self.code.expr(expr);
            return Some(Form::point(self.book.named(&text)));
        }
        match &expr.kind {
            ExprKind::Local(local) => self.state.values.get(local).cloned(),
            ExprKind::Operation { operation, args } => self.operation(*operation, expr.ty, args),
            ExprKind::Select { condition, then, otherwise } => {
                let (a, b) = (
                    self.exact_where(condition, true, then)?,
                    self.exact_where(condition, false, otherwise)?,
                );
                let range = self.book.hull(&a.1, &b.1);
                Some(self.book.atom(range, &a.0.facts | &b.0.facts))
            }
            // Whatever it is, a small type holds it.
            _ if matches!(expr.ty, Ty::I8 | Ty::U8 | Ty::I16 | Ty::U16) => {
                let (low, high) = limits(expr.ty)?;
                Some(self.book.atom((Some(Num::Known(low)), Some(Num::Known(high))), Default::default()))
            }
            _ => None,
        }
    }

    /// The value of an expression where a condition holds, or does not.
    fn exact_where(&mut self, condition: &Expr, holds: bool, expr: &Expr) -> Option<(Form, Range)> {
        if !self.narrowed {
            return self.exact(expr);
        }
        let before = self.state.clone();
        self.assume(condition, holds);
        let found = self.exact(expr);
        self.state = before;
        found
    }

    /// What a local was computed from, if that is looked at.
    fn behind(&mut self, expr: &Expr) -> Option<&'a Expr> {
        let ExprKind::Local(local) = expr.kind else { return None };
        let definition = self.state.definitions.get(&local).copied()?;
        self.expanded = self.expanded.checked_sub(1)?;
        Some(definition)
    }

    /// A value that is in the ranges of two forms.
    fn both(&mut self, form: &Form, other: &Form, (low, high): Range) -> Form {
        let own = self.book.range(form);
        let low = match (own.0, low) {
            (Some(a), Some(b)) => Some(self.book.max(&a, &b)),
            (a, b) => a.or(b),
        };
        let high = match (own.1, high) {
            (Some(a), Some(b)) => Some(self.book.min(&a, &b)),
            (a, b) => a.or(b),
        };
        self.book.atom((low, high), &form.facts | &other.facts)
    }

    /// The value itself and its range: as the type holds it.
    pub fn exact(&mut self, expr: &Expr) -> Option<(Form, Range)> {
        let form = self.value(expr)?;
        self.made_exact(form, expr.ty)
    }

    /// The same of an operation, by what its operands are.
    pub fn exact_by_operands(&mut self, expr: &Expr) -> Option<(Form, Range)> {
        let ExprKind::Operation { operation, args } = &expr.kind else { return None };
        let form = self.operation(*operation, expr.ty, args)?;
        self.made_exact(form, expr.ty)
    }

    fn made_exact(&mut self, mut form: Form, ty: Ty) -> Option<(Form, Range)> {
        let range = self.book.range(&form);
        let (least, most) = limits(ty)?;
        if !form.exact && ty != Ty::I64 {
            let (Some(low), Some(high)) = &range else { return None };
            let fits = |it: &Num| matches!(it, Num::Known(value) if (least..=most).contains(value));
            if !fits(low) || !fits(high) {
                let (low, high) = (low.text(), high.text());
                form.facts.insert(self.book.fact(format!("{low} >= {least}LL && {high} <= {most}LL")));
            }
            form.exact = true;
        }
        Some((form, range))
    }

    fn operation(&mut self, operation: Operation, ty: Ty, args: &[Expr]) -> Option<Form> {
        let modular = matches!(
            operation,
            Operation::Convert | Operation::Neg | Operation::Add | Operation::Sub | Operation::Mul
        );
        if ty == Ty::U64 && !modular {
            return None;
        }
        match (operation, args) {
            (Operation::Convert, [a]) => {
                // A narrower value is widened as it is; of a wider one the lower bits are taken.
                let (to, from) = (limits(ty)?, limits(a.ty)?);
                if to.1 >= from.1 {
                    let form = self.exact(a)?.0;
                    return Some(Form { exact: to.0 <= from.0, ..form });
                }
                Some(Form { exact: false, ..self.value(a)? })
            }
            (Operation::Neg, [a]) => {
                let a = self.value(a)?;
                Some(self.book.scale(&a, &Num::Known(-1)))
            }
            (Operation::Add, [a, b]) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Some(self.book.sum(&a, &b))
            }
            (Operation::Sub, [a, b]) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Some(self.book.difference(&a, &b))
            }
            (Operation::Mul, [a, b]) => self.product(a, b),
            (Operation::Shl, [a, b]) => {
                let ExprKind::Int(count @ 0..=62) = b.kind else { return None };
                let a = self.value(a)?;
                Some(self.book.scale(&a, &Num::Known(1 << count)))
            }
            (Operation::Shr, [a, b]) => {
                let ExprKind::Int(count @ 0..=62) = b.kind else { return None };
                let (form, (low, high)) = self.exact(a)?;
                let by = Num::Known(1 << count);
                let low = low.map(|it| self.book.floor(&it, &by));
                let high = high.map(|it| self.book.floor(&it, &by));
                Some(self.book.atom((low, high), form.facts))
            }
            (Operation::Div, [a, b]) => self.quotient(a, b),
            (Operation::Rem, [a, b]) => self.remainder(a, b),
            (Operation::And, [a, b]) => self.mask(a, b).or_else(|| self.mask(b, a)),
            (Operation::Or | Operation::Xor, [a, b]) => self.bits(a, b),
            (Operation::Min | Operation::Max, [a, b]) => {
                let (a, b) = (self.exact(a)?, self.exact(b)?);
                let is_min = operation == Operation::Min;
                let one = |book: &mut super::symbolic::Book,
                           a: &Option<Num>,
                           b: &Option<Num>,
                           tight: bool| match (a, b) {
                    (Some(a), Some(b)) => Some(if is_min { book.min(a, b) } else { book.max(a, b) }),
                    (Some(only), None) | (None, Some(only)) if tight => Some(only.clone()),
                    _ => None,
                };
                let low = one(&mut self.book, &a.1.0, &b.1.0, !is_min);
                let high = one(&mut self.book, &a.1.1, &b.1.1, is_min);
                Some(self.book.atom((low, high), &a.0.facts | &b.0.facts))
            }
            _ => None,
        }
    }

    fn product(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        for (form, other) in [(&left, &right), (&right, &left)] {
            if let Some(factor) = other.as_point() {
                let mut product = self.book.scale(form, factor);
                product.facts.extend(&other.facts);
                return Some(product);
            }
        }
        let ((left, (la, ha)), (right, (lb, hb))) = (self.exact(a)?, self.exact(b)?);
        let (la, ha, lb, hb) = (la?, ha?, lb?, hb?);
        let corners = [(&la, &lb), (&la, &hb), (&ha, &lb), (&ha, &hb)].map(|(a, b)| self.book.mul(a, b));
        let mut range = (corners[0].clone(), corners[0].clone());
        for corner in &corners[1..] {
            range = (self.book.min(&range.0, corner), self.book.max(&range.1, corner));
        }
        let product = self.book.atom((Some(range.0), Some(range.1)), &left.facts | &right.facts);
        Some(Form { exact: false, ..product })
    }

    /// A divisor that is positive: what that rests on, the least and the greatest.
    fn divisor(&mut self, expr: &Expr) -> Option<(BTreeSet<FactId>, Num, Option<Num>)> {
        let (mut form, (low, high)) = self.exact(expr)?;
        let Some(number) = form.as_point().cloned() else {
            let low = low.filter(|it| matches!(it, Num::Known(1..)))?;
            form.facts.insert(self.book.rough());
            return Some((form.facts, low, high));
        };
        match &number {
            Num::Known(1..) => {}
            Num::Known(_) => return None,
            Num::Text(text) => {
                let text = format!("{text} > 0");
                form.facts.insert(self.book.fact(text));
            }
        }
        Some((form.facts, number.clone(), Some(number)))
    }

    fn not_negative(&mut self, form: &mut Form, low: &Option<Num>) -> Option<()> {
        match low.as_ref()? {
            Num::Known(0..) => {}
            Num::Known(_) => return None,
            Num::Text(text) => {
                let text = format!("{text} >= 0");
                form.facts.insert(self.book.fact(text));
            }
        }
        Some(())
    }

    fn quotient(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let (facts, least, most) = self.divisor(b)?;
        let (mut form, (low, high)) = self.exact(a)?;
        self.not_negative(&mut form, &low)?;
        let low = low.zip(most).map_or(Num::Known(0), |(low, most)| self.book.floor(&low, &most));
        let high = high.map(|it| self.book.floor(&it, &least));
        Some(self.book.atom((Some(low), high), &form.facts | &facts))
    }

    fn remainder(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let (facts, _, most) = self.divisor(b)?;
        let most = most.map(|it| self.book.sub(&it, &Num::Known(1)));
        let positive = self.exact(a).and_then(|(mut form, (low, high))| {
            self.not_negative(&mut form, &low)?;
            Some((form.facts, high))
        });
        let Some((more, high)) = positive else {
            // Of what, does not matter but for its sign.
            let least = most.as_ref().map(|it| self.book.sub(&Num::Known(0), it));
            return Some(self.book.atom((least, most), facts));
        };
        let high = match (high, most) {
            (Some(a), Some(b)) => Some(self.book.min(&a, &b)),
            (a, b) => a.or(b),
        };
        Some(self.book.atom((Some(Num::Known(0)), high), &more | &facts))
    }

    /// `a | b` or `a ^ b` of values that are not negative: no bit above those of the larger one.
    fn bits(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let ((mut a, (low_a, high_a)), (mut b, (low_b, high_b))) = (self.exact(a)?, self.exact(b)?);
        self.not_negative(&mut a, &low_a)?;
        self.not_negative(&mut b, &low_b)?;
        let most = self.book.max(&high_a?, &high_b?);
        let most = self.book.ones(&most);
        Some(self.book.atom((Some(Num::Known(0)), Some(most)), &a.facts | &b.facts))
    }

    /// `a & b` with a `b` that is not negative.
    fn mask(&mut self, a: &Expr, b: &Expr) -> Option<Form> {
        let form = self.value(b)?;
        if let Some(Num::Known(most @ 0..)) = form.as_point() {
            return Some(self.book.atom((Some(Num::Known(0)), Some(Num::Known(*most))), form.facts));
        }
        let (mut form, (low, high)) = self.exact(b)?;
        let Some(Num::Known(0..)) = low else { return None };
        let other = self.exact(a).filter(|it| matches!(it.1.0, Some(Num::Known(0..))));
        let high = match (high, other) {
            (Some(high), Some((other, (_, Some(most))))) => {
                form.facts.extend(other.facts);
                Some(self.book.min(&high, &most))
            }
            (high, _) => high,
        };
        form.facts.insert(self.book.rough());
        Some(self.book.atom((Some(Num::Known(0)), high), form.facts))
    }

    /// The number of elements of a rail.
    pub fn length(&mut self, rail: &Expr) -> Option<Num> {
        let ExprKind::Local(local) = rail.kind else { return None };
        let local = self.state.aliases.get(&local).copied().unwrap_or(local);
        match self.lengths.get(&local)?.clone() {
            Bound::Number(number) => Some(number),
            Bound::Host(text) => Some(self.book.named(&text)),
        }
    }

    /// The length that an expression is.
    fn length_of(&mut self, expr: &Expr) -> Option<Num> {
        match &expr.kind {
            ExprKind::Length { rail, .. } => self.length(rail),
            // Of a global rail.
            ExprKind::StructField { value, field: 0 } => self.length(value),
            _ => None,
        }
    }

    /// Whether an expression is made of captured values alone, and its evaluation on the host raises nothing.
    pub fn is_uniform(&self, expr: &Expr) -> bool {
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
