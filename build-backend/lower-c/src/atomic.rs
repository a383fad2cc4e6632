//! The `atomic` construct (OpenMP 5.2, section 15.8.4), and read-modify-write by compare-and-swap
//! (Herlihy, *Wait-Free Synchronization*, TOPLAS 1991).

use apg_c_analysis::hir::{BinaryOp, Directive, ExprId, ExprKind, StmtKind};
use apg_c_analysis::updates::is_same;
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AddressSpace, AtomicOperation, Expr, Operation, Place, PlaceKind, Stmt, Ty};

use crate::body::{Body, binary, int, local_value, operation};
use crate::lvalue::Lvalue;
use crate::operators::{arithmetic_operation, common};
use crate::unsupported::{Lowered, unsupported};

/// An update: the object, the operator, the operand (`None` is one), and whether the object is the operator's
/// right operand.
pub(crate) struct Update {
    pub target: ExprId,
    op: BinaryOp,
    operand: Option<ExprId>,
    is_reversed: bool,
}

impl Body<'_, '_> {
    /// An `atomic` directive with its statement.
    pub(crate) fn atomic(&mut self, directive: &Directive) -> Lowered<()> {
        let hir = self.unit.hir;
        let form =
            ["read", "write", "capture", "compare"].into_iter().find(|it| directive.clause(it).is_some());
        let stmt = directive.body.map(|it| self.only_statement(it));
        if directive.clause("compare").is_some() {
            return self.atomic_compare(directive, stmt);
        }
        if let (Some("capture"), Some(StmtKind::Block(stmts))) = (form, stmt.map(|it| &hir.stmt(it).kind)) {
            return self.captured_update(directive, stmts);
        }
        let Some(StmtKind::Expr(expr)) = stmt.map(|it| &hir.stmt(it).kind) else {
            return no_form(directive);
        };
        let range = hir.expr(*expr).range;
        match (form, &hir.expr(*expr).kind) {
            (Some("read"), ExprKind::Assign(None, target, source)) => {
                let (pointer, ty) = self.atomic_object(*source)?;
                let place = Place { ty, kind: PlaceKind::Deref(Box::new(pointer)), is_volatile: true };
                let value = self.temporary(Expr::new(ty, mir::ExprKind::Load(Box::new(place))));
                self.assign_value(*target, value, range)
            }
            (Some("write"), ExprKind::Assign(None, target, value)) => {
                let value = self.value(*value)?;
                let (pointer, ty) = self.atomic_object(*target)?;
                let value = self.convert_to(value, ty, range)?;
                if !has_atomics(ty) {
                    let value = self.temporary(value);
                    return self.compare_and_swap(pointer, ty, |_, _| Ok(value.clone())).map(drop);
                }
                let exchanged = atomic(AtomicOperation::Exchange, pointer, ty, vec![value]);
                self.push(mir::StmtKind::Expr(exchanged));
                Ok(())
            }
            (Some("capture"), ExprKind::Assign(None, target, source)) => {
                let is_postfix =
                    matches!(hir.expr(*source).kind, ExprKind::Increment { is_postfix: true, .. });
                let update = self.atomic_update(*source)?;
                let (before, after) = self.update(&update, range)?;
                self.assign_value(*target, if is_postfix { before } else { after }, range)
            }
            (None, _) => {
                let update = self.atomic_update(*expr)?;
                self.update(&update, range).map(drop)
            }
            _ => no_form(directive),
        }
    }

    /// Whether an expression changes an element of an array that threads reduce by updates.
    pub(crate) fn is_update(&self, expr: ExprId) -> bool {
        let hir = self.unit.hir;
        match hir.expr(expr).kind {
            ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => {
                hir.base_variable(target).is_some_and(|it| self.updated.contains(&it))
            }
            _ => false,
        }
    }

    /// An update as an atomic one.
    pub(crate) fn atomic_effect(&mut self, expr: ExprId) -> Lowered<()> {
        let update = self.atomic_update(expr)?;
        self.update(&update, self.unit.hir.expr(expr).range).map(drop)
    }

    pub(crate) fn assign_value(&mut self, target: ExprId, value: Expr, range: TextRange) -> Lowered<()> {
        let value = self.convert(value, &self.unit.hir.expr(target).ty.clone(), range)?;
        let lvalue = self.lvalue(target)?;
        self.store_into(&lvalue, value);
        Ok(())
    }

    pub(crate) fn atomic_update(&self, expr: ExprId) -> Lowered<Update> {
        let hir = self.unit.hir;
        let of = hir.expr(expr);
        match of.kind {
            ExprKind::Increment { target, is_decrement, .. } => {
                let op = if is_decrement { BinaryOp::Subtract } else { BinaryOp::Add };
                return Ok(Update { target, op, operand: None, is_reversed: false });
            }
            ExprKind::Assign(Some(op), target, operand) => {
                return Ok(Update { target, op, operand: Some(operand), is_reversed: false });
            }
            ExprKind::Assign(None, target, value) => {
                if let ExprKind::Binary(op, left, right) = hir.expr(value).kind
                    && !op.is_condition()
                {
                    if is_same(hir, left, target) {
                        return Ok(Update { target, op, operand: Some(right), is_reversed: false });
                    }
                    if is_same(hir, right, target) {
                        return Ok(Update { target, op, operand: Some(left), is_reversed: true });
                    }
                }
            }
            _ => {}
        }
        unsupported(
            of.range,
            "this is no update of one object",
            "write it as `x += value` or `x = x + value`",
        )
    }

    /// The address of an object that threads change atomically, and its type.
    pub(crate) fn atomic_object(&mut self, target: ExprId) -> Lowered<(Expr, Ty)> {
        let range = self.unit.hir.expr(target).range;
        let Lvalue::Place(place) = self.lvalue(target)? else {
            let message = "this object belongs to one thread";
            return unsupported(range, message, "leave `atomic` out, or map the object");
        };
        let ty = place.ty;
        if !has_atomics(ty) && !is_part_of_word(ty) {
            let message = "devices have atomic operations on numbers of up to 8 bytes only";
            return unsupported(range, message, "write `int`, `long`, `float` or `double`");
        }
        let address = self.address_of(place);
        Ok((self.temporary(address), ty))
    }

    /// Updates an object; its values before and after.
    pub(crate) fn update(&mut self, update: &Update, range: TextRange) -> Lowered<(Expr, Expr)> {
        let operand = match update.operand {
            Some(operand) => self.value(operand)?,
            None => int(Ty::I32, 1),
        };
        let operand = self.temporary(operand);
        let (pointer, ty) = self.atomic_object(update.target)?;
        let wide = common(ty, operand.ty);
        let native = match update.op {
            BinaryOp::Add => Some(AtomicOperation::Add),
            BinaryOp::Subtract if !update.is_reversed => Some(AtomicOperation::Add),
            BinaryOp::BitAnd => Some(AtomicOperation::And),
            BinaryOp::BitOr => Some(AtomicOperation::Or),
            BinaryOp::BitXor => Some(AtomicOperation::Xor),
            _ => None,
        };
        let combine = |it: &mut Self, before: Expr| {
            let is_shift = matches!(update.op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
            let kind = if is_shift { ty } else { wide };
            let left = it.convert_to(before, kind, range)?;
            let right = if is_shift { operand.clone() } else { it.convert_to(operand.clone(), kind, range)? };
            let (left, right) = if update.is_reversed { (right, left) } else { (left, right) };
            let value = binary(kind, arithmetic_operation(update.op, kind), left, right);
            it.convert_to(value, ty, range)
        };
        let before = match native.filter(|_| wide == ty && has_atomics(ty)) {
            Some(native) => {
                let value = self.convert_to(operand.clone(), ty, range)?;
                let value = match update.op {
                    BinaryOp::Subtract => operation(ty, Operation::Neg, vec![value]),
                    _ => value,
                };
                self.temporary(atomic(native, pointer, ty, vec![value]))
            }
            None => self.compare_and_swap(pointer, ty, combine)?,
        };
        let after = combine(self, before.clone())?;
        Ok((before, after))
    }

    /// Replaces what a pointer points to by a function of it, in one step; the value before.
    pub(crate) fn compare_and_swap(
        &mut self,
        pointer: Expr,
        ty: Ty,
        combine: impl Fn(&mut Self, Expr) -> Lowered<Expr>,
    ) -> Lowered<Expr> {
        if is_part_of_word(ty) {
            return self.compare_and_swap_part(pointer, ty, &combine);
        }
        let word = match ty {
            Ty::F32 => Ty::I32,
            Ty::F64 => Ty::I64,
            _ => ty,
        };
        let bits = |value: Expr, to: Ty| match value.ty == to {
            true => value,
            false => operation(to, Operation::Bitcast, vec![value]),
        };
        let of_words = self.unit.program.types.pointer_to(word, AddressSpace::Generic);
        let pointer = match pointer.ty == of_words {
            true => pointer,
            false => self.temporary(operation(of_words, Operation::Convert, vec![pointer])),
        };
        let place = Place { ty: word, kind: PlaceKind::Deref(Box::new(pointer.clone())), is_volatile: true };
        let old = self.local("old", word);
        self.set(old, Expr::new(word, mir::ExprKind::Load(Box::new(place))));
        let label = self.label();
        let old_value = || local_value(old, word);
        let (body, ()) = self.nested(|it| {
            let new = combine(it, bits(old_value(), ty))?;
            let new = it.temporary(bits(new, word));
            let seen = atomic(AtomicOperation::Compare, pointer.clone(), word, vec![old_value(), new]);
            let seen = it.temporary(seen);
            let is_stored = binary(Ty::Bool, Operation::Eq, seen.clone(), old_value());
            let then = vec![Stmt::new(it.span, mir::StmtKind::Break(label))];
            it.push(mir::StmtKind::If { condition: is_stored, then, otherwise: Vec::new() });
            it.set(old, seen);
            Ok(())
        })?;
        self.push_endless(label, body);
        Ok(bits(old_value(), ty))
    }
}

pub(crate) fn no_form<T>(directive: &Directive) -> Lowered<T> {
    let message = "this form of `atomic` has no device form";
    unsupported(directive.range, message, "write one update such as `x += value`")
}

/// An atomic operation on what a pointer points to.
pub(crate) fn atomic(operation: AtomicOperation, pointer: Expr, ty: Ty, values: Vec<Expr>) -> Expr {
    let (rail, index) = (Box::new(pointer), Box::new(int(Ty::I64, 0)));
    Expr::new(ty, mir::ExprKind::Atomic { operation, rail, index, values })
}

/// Whether a number is a part of a word, by which threads change it.
pub(crate) fn is_part_of_word(ty: Ty) -> bool {
    matches!(ty, Ty::Bool | Ty::I8 | Ty::U8 | Ty::I16 | Ty::U16)
}

/// Whether devices have atomic operations on a type.
pub(crate) fn has_atomics(ty: Ty) -> bool {
    matches!(ty, Ty::I32 | Ty::U32 | Ty::I64 | Ty::U64 | Ty::F32 | Ty::F64)
}
