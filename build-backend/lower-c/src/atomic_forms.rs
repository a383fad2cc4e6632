//! Forms of `atomic` of more than one expression: captured updates, and conditional updates (OpenMP 5.2,
//! section 15.8.4); and read-modify-write of numbers that are parts of words.

use apg_c_analysis::hir::{BinaryOp, Directive, ExprId, ExprKind, StmtId, StmtKind};
use apg_c_analysis::updates::is_same;
use apg_mir::{self as mir, AddressSpace, Expr, Operation, Ty};

use crate::atomic::no_form;
use crate::body::{Body, binary, int, operation};
use crate::unsupported::Lowered;

/// `if (x == expected) x = value`, or `<` and `>`.
struct Conditional {
    target: ExprId,
    op: BinaryOp,
    operand: ExprId,
    /// The object is the right operand.
    is_reversed: bool,
    value: ExprId,
    /// `else`
    otherwise: Option<ExprId>,
}

impl Body<'_, '_> {
    /// `{ v = x; x += value; }` and the like.
    pub(crate) fn captured_update(&mut self, directive: &Directive, stmts: &[StmtId]) -> Lowered<()> {
        let hir = self.unit.hir;
        let [first, second] = stmts else { return no_form(directive) };
        let (Some(first), Some(second)) = (self.expression_of(*first), self.expression_of(*second)) else {
            return no_form(directive);
        };
        let range = directive.range;
        let copied = |of: ExprId, target: ExprId| match hir.expr(of).kind {
            ExprKind::Assign(None, into, from) if is_same(hir, from, target) => Some(into),
            _ => None,
        };
        if let Ok(update) = self.atomic_update(second)
            && let Some(into) = copied(first, update.target)
        {
            let (before, _) = self.update(&update, range)?;
            return self.assign_value(into, before, range);
        }
        if let Ok(update) = self.atomic_update(first)
            && let Some(into) = copied(second, update.target)
        {
            let (_, after) = self.update(&update, range)?;
            return self.assign_value(into, after, range);
        }
        // `{ v = x; x = value; }`
        let ExprKind::Assign(None, target, value) = hir.expr(second).kind else { return no_form(directive) };
        let Some(into) = copied(first, target) else { return no_form(directive) };
        let value = self.value(value)?;
        let (pointer, ty) = self.atomic_object(target)?;
        let value = self.convert_to(value, ty, range)?;
        let value = self.temporary(value);
        let before = self.compare_and_swap(pointer, ty, |_, _| Ok(value.clone()))?;
        self.assign_value(into, before, range)
    }

    /// `atomic compare`, with `capture` or without.
    pub(crate) fn atomic_compare(&mut self, directive: &Directive, stmt: Option<StmtId>) -> Lowered<()> {
        let hir = self.unit.hir;
        let Some(stmt) = stmt else { return no_form(directive) };
        let range = directive.range;
        let (update, first, last) = match &hir.stmt(stmt).kind {
            StmtKind::Block(stmts) => match stmts[..] {
                [first, second] => match (self.conditional_update(first), self.conditional_update(second)) {
                    (Some(update), None) => (Some(update), None, self.expression_of(second)),
                    (None, Some(update)) => (Some(update), self.expression_of(first), None),
                    _ => (None, None, None),
                },
                _ => (None, None, None),
            },
            _ => (self.conditional_update(stmt), None, None),
        };
        let Some(update) = update else { return no_form(directive) };
        let copied = |of: Option<ExprId>| match of.map(|it| &hir.expr(it).kind) {
            Some(ExprKind::Assign(None, into, from)) if is_same(hir, *from, update.target) => Some(*into),
            _ => None,
        };
        let (before_into, after_into, else_into) = (copied(first), copied(last), copied(update.otherwise));
        let is_captured = before_into.is_some() || after_into.is_some() || else_into.is_some();
        let has_others = [first, last, update.otherwise].iter().any(Option::is_some);
        if is_captured != has_others || is_captured != directive.clause("capture").is_some() {
            return no_form(directive);
        }
        let operand = self.value(update.operand)?;
        let operand = self.temporary(operand);
        let value = self.value(update.value)?;
        let value = self.temporary(value);
        let (pointer, ty) = self.atomic_object(update.target)?;
        let holds = |it: &mut Self, before: Expr| {
            let common = crate::operators::common(before.ty, operand.ty);
            let before = it.convert_to(before, common, range)?;
            let operand = it.convert_to(operand.clone(), common, range)?;
            let (left, right) = if update.is_reversed { (operand, before) } else { (before, operand) };
            let op = match update.op {
                BinaryOp::Less => Operation::Lt,
                BinaryOp::Greater => Operation::Gt,
                _ => Operation::Eq,
            };
            Ok(binary(Ty::Bool, op, left, right))
        };
        let combine = |it: &mut Self, before: Expr| {
            let condition = Box::new(holds(it, before.clone())?);
            let then = Box::new(it.convert_to(value.clone(), ty, range)?);
            Ok(Expr::new(ty, mir::ExprKind::Select { condition, then, otherwise: Box::new(before) }))
        };
        let before = self.compare_and_swap(pointer, ty, combine)?;
        let before = self.temporary(before);
        if let Some(into) = before_into {
            self.assign_value(into, before.clone(), range)?;
        }
        if let Some(into) = after_into {
            let after = combine(self, before.clone())?;
            self.assign_value(into, after, range)?;
        }
        if let Some(into) = else_into {
            let condition = holds(self, before.clone())?;
            let (otherwise, ()) = self.nested(|it| it.assign_value(into, before, range))?;
            self.push(mir::StmtKind::If { condition, then: Vec::new(), otherwise });
        }
        Ok(())
    }

    /// The expression that a statement is.
    fn expression_of(&self, stmt: StmtId) -> Option<ExprId> {
        match self.unit.hir.stmt(self.only_statement(stmt)).kind {
            StmtKind::Expr(expr) => Some(expr),
            _ => None,
        }
    }

    /// The conditional update that a statement is: `if (x < e) x = e;`, `x = x < e ? e : x;`.
    fn conditional_update(&self, stmt: StmtId) -> Option<Conditional> {
        let hir = self.unit.hir;
        let (condition, target, value, otherwise) = match hir.stmt(self.only_statement(stmt)).kind {
            StmtKind::If(condition, then, otherwise) => {
                let ExprKind::Assign(None, target, value) = hir.expr(self.expression_of(then)?).kind else {
                    return None;
                };
                let otherwise = match otherwise {
                    Some(stmt) => Some(self.expression_of(stmt)?),
                    None => None,
                };
                (condition, target, value, otherwise)
            }
            StmtKind::Expr(expr) => {
                let ExprKind::Assign(None, target, value) = hir.expr(expr).kind else { return None };
                let ExprKind::Conditional(condition, Some(then), otherwise) = hir.expr(value).kind else {
                    return None;
                };
                if !is_same(hir, otherwise, target) {
                    return None;
                }
                (condition, target, then, None)
            }
            _ => return None,
        };
        let ExprKind::Binary(op @ (BinaryOp::Less | BinaryOp::Greater | BinaryOp::Equal), left, right) =
            hir.expr(condition).kind
        else {
            return None;
        };
        let is_reversed = !is_same(hir, left, target);
        if is_reversed && !is_same(hir, right, target) {
            return None;
        }
        let operand = if is_reversed { left } else { right };
        Some(Conditional { target, op, operand, is_reversed, value, otherwise })
    }

    /// Replaces a number of one or two bytes by a function of it, by the word that contains it; the value
    /// before.
    pub(crate) fn compare_and_swap_part(
        &mut self,
        pointer: Expr,
        ty: Ty,
        combine: &dyn Fn(&mut Self, Expr) -> Lowered<Expr>,
    ) -> Lowered<Expr> {
        let convert = |value: Expr, to: Ty| operation(to, Operation::Convert, vec![value]);
        let bits: i64 = if matches!(ty, Ty::I16 | Ty::U16) { 0xffff } else { 0xff };
        let address = self.temporary(convert(pointer, Ty::I64));
        let offset = binary(Ty::I64, Operation::And, address.clone(), int(Ty::I64, 3));
        let shift = binary(Ty::I64, Operation::Mul, offset, int(Ty::I64, 8));
        let shift = self.temporary(convert(shift, Ty::I32));
        let start = binary(Ty::I64, Operation::And, address, int(Ty::I64, -4));
        let words = self.unit.program.types.pointer_to(Ty::U32, AddressSpace::Generic);
        let word = self.temporary(convert(start, words));
        let moved = binary(Ty::U32, Operation::ShlUndefined, int(Ty::U32, bits), shift.clone());
        let mask = self.temporary(moved);
        let part = |word: Expr| {
            let low = binary(Ty::U32, Operation::ShrUndefined, word, shift.clone());
            let low = binary(Ty::U32, Operation::And, low, int(Ty::U32, bits));
            match ty {
                Ty::Bool => binary(Ty::Bool, Operation::Ne, low, int(Ty::U32, 0)),
                ty => convert(low, ty),
            }
        };
        let before = self.compare_and_swap(word, Ty::U32, |it, word| {
            let new = combine(it, part(word.clone()))?;
            let new = binary(Ty::U32, Operation::And, convert(new, Ty::U32), int(Ty::U32, bits));
            let new = binary(Ty::U32, Operation::ShlUndefined, new, shift.clone());
            let rest = operation(Ty::U32, Operation::BitNot, vec![mask.clone()]);
            let rest = binary(Ty::U32, Operation::And, word, rest);
            Ok(binary(Ty::U32, Operation::Or, rest, new))
        })?;
        Ok(part(before))
    }
}
