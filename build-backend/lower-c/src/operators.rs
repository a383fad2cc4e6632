//! Operators (C17 6.5.3 to 6.5.15), with the usual arithmetic conversions.

use apg_c_analysis::hir::{BinaryOp, ExprId, Type, UnaryOp};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Ty};

use crate::array_lengths::is_row;
use crate::body::{Body, binary, int, local_value, operation};
use crate::conversion::{is_float, is_signed, zero};
use crate::unsupported::Lowered;

impl Body<'_, '_> {
    pub(crate) fn unary(
        &mut self,
        op: UnaryOp,
        operand: ExprId,
        ty: &Type,
        range: TextRange,
    ) -> Lowered<Expr> {
        if op == UnaryOp::Not {
            let condition = self.condition(operand)?;
            let inverse = operation(Ty::Bool, Operation::Not, vec![condition]);
            return self.convert(inverse, &Type::INT, range);
        }
        self.check_width(operand)?;
        let value = self.value(operand)?;
        let value = self.convert(value, ty, range)?;
        let kind = value.ty;
        Ok(match (op, &value.kind) {
            (UnaryOp::Plus, _) => value,
            (UnaryOp::Minus, mir::ExprKind::Float(number)) => Expr::new(kind, mir::ExprKind::Float(-number)),
            (UnaryOp::Minus, mir::ExprKind::Int(number)) if is_signed(kind) && *number != 0 => {
                int(kind, number.wrapping_neg())
            }
            (UnaryOp::Minus, _) if is_signed(kind) => operation(kind, Operation::NegUndefined, vec![value]),
            (UnaryOp::Minus, _) => operation(kind, Operation::Neg, vec![value]),
            _ => operation(kind, Operation::BitNot, vec![value]),
        })
    }

    /// A comparison, `&&` or `||`, as a Boolean.
    pub(crate) fn comparison(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        range: TextRange,
    ) -> Lowered<Expr> {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            return self.short_circuit(op, left, right);
        }
        self.check_width(left)?;
        self.check_width(right)?;
        let (mut a, mut b) = (self.value(left)?, self.value(right)?);
        let is_pointer = |it: &Expr| matches!(it.ty, Ty::Pointer(_));
        if is_pointer(&a) || is_pointer(&b) {
            let ty = if is_pointer(&a) { a.ty } else { b.ty };
            (a, b) = (self.convert_to(a, ty, range)?, self.convert_to(b, ty, range)?);
        } else {
            let ty = common(a.ty, b.ty);
            (a, b) = (self.convert_to(a, ty, range)?, self.convert_to(b, ty, range)?);
        }
        let op = match op {
            BinaryOp::Less => Operation::Lt,
            BinaryOp::Greater => Operation::Gt,
            BinaryOp::LessEqual => Operation::Le,
            BinaryOp::GreaterEqual => Operation::Ge,
            BinaryOp::Equal => Operation::Eq,
            _ => Operation::Ne,
        };
        Ok(binary(Ty::Bool, op, a, b))
    }

    fn short_circuit(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Lowered<Expr> {
        let left = self.condition(left)?;
        let (mut stmts, right) = self.nested(|it| it.condition(right))?;
        let is_and = op == BinaryOp::And;
        if stmts.is_empty() {
            let (left, right) = (Box::new(left), Box::new(right));
            let kind = if is_and { mir::ExprKind::And(left, right) } else { mir::ExprKind::Or(left, right) };
            return Ok(Expr::new(Ty::Bool, kind));
        }
        let result = self.local("", Ty::Bool);
        self.set(result, left);
        stmts.push(mir::Stmt::new(self.span, mir::StmtKind::Set { local: result, value: right }));
        let (then, otherwise) = if is_and { (stmts, Vec::new()) } else { (Vec::new(), stmts) };
        self.push(mir::StmtKind::If { condition: local_value(result, Ty::Bool), then, otherwise });
        Ok(local_value(result, Ty::Bool))
    }

    pub(crate) fn conditional(
        &mut self,
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
        ty: &Type,
        range: TextRange,
    ) -> Lowered<Expr> {
        let then = then.unwrap_or(condition);
        let condition = self.condition(condition)?;
        let (mut first, a) =
            self.nested(|it| it.value(then).and_then(|value| it.convert(value, ty, range)))?;
        let (mut second, b) =
            self.nested(|it| it.value(otherwise).and_then(|value| it.convert(value, ty, range)))?;
        if first.is_empty() && second.is_empty() {
            let (condition, then, otherwise) = (Box::new(condition), Box::new(a), Box::new(b));
            return Ok(Expr::new(then.ty, mir::ExprKind::Select { condition, then, otherwise }));
        }
        let ty = a.ty;
        let result = self.local("", ty);
        self.set(result, zero(ty));
        let set = |value| mir::Stmt::new(self.span, mir::StmtKind::Set { local: result, value });
        first.push(set(a));
        second.push(set(b));
        self.push(mir::StmtKind::If { condition, then: first, otherwise: second });
        Ok(local_value(result, ty))
    }

    /// An arithmetic operation, whose result is of a type.
    pub(crate) fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        ty: &Type,
        range: TextRange,
    ) -> Lowered<Expr> {
        match (op, left.ty, right.ty) {
            (BinaryOp::Add, Ty::Pointer(_), _) => return self.offset(left, right, ty, range),
            (BinaryOp::Add, _, Ty::Pointer(_)) => return self.offset(right, left, ty, range),
            (BinaryOp::Subtract, Ty::Pointer(_), Ty::Pointer(_)) => {
                let right = self.convert_to(right, left.ty, range)?;
                return Ok(binary(Ty::I64, Operation::Distance, left, right));
            }
            (BinaryOp::Subtract, Ty::Pointer(_), _) => {
                let count = self.convert_to(right, Ty::I64, range)?;
                return self.offset(left, operation(Ty::I64, Operation::Neg, vec![count]), ty, range);
            }
            _ => {}
        }
        let result = self.unit.ty(ty, range)?;
        let left = self.convert_to(left, result, range)?;
        let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        let right = match is_shift {
            true => right,
            false => self.convert_to(right, result, range)?,
        };
        Ok(binary(result, arithmetic_operation(op, result), left, right))
    }

    /// The address behind `count` objects, or rows, that a pointer of type `ty` points to.
    fn offset(&mut self, pointer: Expr, count: Expr, ty: &Type, range: TextRange) -> Lowered<Expr> {
        self.pointed(pointer.clone(), range)?;
        let count = match ty.element().filter(|it| is_row(it)) {
            Some(row) => {
                let count = self.convert_to(count, Ty::I64, range)?;
                self.times_row(count, row, range)?
            }
            None => count,
        };
        Ok(operation(pointer.ty, Operation::Offset, vec![pointer, count]))
    }
}

/// The type of both operands (usual arithmetic conversions, C17 6.3.1.8).
pub(crate) fn common(a: Ty, b: Ty) -> Ty {
    let rank = |ty: Ty| match ty {
        Ty::F64 => 6,
        Ty::F32 => 5,
        Ty::U64 => 4,
        Ty::I64 => 3,
        Ty::U32 => 2,
        _ => 1,
    };
    let highest = if rank(a) >= rank(b) { a } else { b };
    if rank(highest) == 1 { Ty::I32 } else { highest }
}

/// The type of C that a scalar type is the form of.
pub(crate) fn hir_type(ty: Ty) -> Type {
    match ty {
        Ty::F32 => Type::Float(4),
        Ty::F64 => Type::Float(8),
        Ty::U64 => Type::SIZE,
        Ty::I64 => Type::Integer { bytes: 8, is_signed: true },
        Ty::U32 => Type::Integer { bytes: 4, is_signed: false },
        _ => Type::INT,
    }
}

/// The operation on numbers of a type. Signed ones are undefined where they overflow (C17 6.5, paragraph 5).
pub(crate) fn arithmetic_operation(op: BinaryOp, ty: Ty) -> Operation {
    let (is_signed, is_float) = (is_signed(ty), is_float(ty));
    match op {
        BinaryOp::Add if is_signed => Operation::AddUndefined,
        BinaryOp::Add => Operation::Add,
        BinaryOp::Subtract if is_signed => Operation::SubUndefined,
        BinaryOp::Subtract => Operation::Sub,
        BinaryOp::Multiply if is_signed => Operation::MulUndefined,
        BinaryOp::Multiply => Operation::Mul,
        BinaryOp::Divide if is_float => Operation::Div,
        BinaryOp::Divide => Operation::DivUndefined,
        BinaryOp::Remainder => Operation::RemUndefined,
        BinaryOp::ShiftLeft => Operation::ShlUndefined,
        BinaryOp::ShiftRight => Operation::ShrUndefined,
        BinaryOp::BitAnd => Operation::And,
        BinaryOp::BitOr => Operation::Or,
        _ => Operation::Xor,
    }
}
