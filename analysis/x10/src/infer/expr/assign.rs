//! Assignment, compound assignment, `++` and `--`, desugared to plain assignments and calls, with
//! temporaries for operands that are used twice.

use apg_syntax::TextRange;
use apg_syntax::ast;
use smol_str::SmolStr;

use crate::body::local_class_env::captured_variable;
use crate::body::{AssignTarget, ExprId, ExprKind, Literal, LocalId, LocalKind, StmtId, StmtKind};
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::expr::name::Resolved;
use crate::rules::r#type::narrowed_assignment::NarrowedAssignment;
use crate::rules::r#type::no_operator::NoOperator;
use crate::rules::r#type::not_assignable::NotAssignable;
use crate::ty::Ty;
use crate::ty::known::Known;

/// The left side of an assignment.
enum Left {
    Variable {
        target: AssignTarget,
        ty: Ty,
        range: TextRange,
    },
    /// `a(i, j)`
    Element {
        receiver: ExprId,
        index: Vec<ExprId>,
        range: TextRange,
    },
    Error,
}

/// The assigned value.
enum NewValue<'a> {
    /// `= e`
    Plain(Option<&'a ast::Expr>),
    /// `op= e`
    Combined(ast::BinaryOp, Option<&'a ast::Expr>),
    /// `++`, `--`
    Step(ast::BinaryOp),
}

/// Which value of the whole expression is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Result {
    Unused,
    New,
    Old,
}

impl Infer<'_> {
    pub(crate) fn assign(&mut self, e: &ast::AssignExpr, used: bool) -> ExprId {
        let range = range_of(e);
        let rhs = e.rhs();
        let value = match e.op().and_then(ast::AssignOp::binary) {
            None => NewValue::Plain(rhs.as_ref()),
            Some(op) => NewValue::Combined(op, rhs.as_ref()),
        };
        let result = if used { Result::New } else { Result::Unused };
        self.assignment(e.lhs().as_ref(), value, result, range)
    }

    pub(crate) fn prefix_step(&mut self, e: &ast::PrefixExpr, up: bool, used: bool) -> ExprId {
        let op = if up { ast::BinaryOp::Add } else { ast::BinaryOp::Sub };
        let result = if used { Result::New } else { Result::Unused };
        self.assignment(e.expr().as_ref(), NewValue::Step(op), result, range_of(e))
    }

    pub(crate) fn postfix_step(&mut self, e: &ast::PostfixExpr, used: bool) -> ExprId {
        let up = e.op() != Some(ast::PostfixOp::Decrement);
        let op = if up { ast::BinaryOp::Add } else { ast::BinaryOp::Sub };
        let result = if used { Result::Old } else { Result::Unused };
        self.assignment(e.expr().as_ref(), NewValue::Step(op), result, range_of(e))
    }

    fn assignment(
        &mut self,
        lhs: Option<&ast::Expr>,
        value: NewValue<'_>,
        result: Result,
        range: TextRange,
    ) -> ExprId {
        match self.left(lhs, matches!(value, NewValue::Step(_)), range) {
            Left::Error => {
                if let NewValue::Plain(e) | NewValue::Combined(_, e) = value {
                    self.value(e, range, None);
                }
                self.error(range)
            }
            Left::Variable { target, ty, range: at } => {
                self.assign_variable(target, ty, at, value, result, range)
            }
            Left::Element { receiver, index, range: at } => {
                self.assign_element(receiver, index, at, value, result, range)
            }
        }
    }

    fn left(&mut self, lhs: Option<&ast::Expr>, step: bool, range: TextRange) -> Left {
        let Some(lhs) = lhs.map(ast::Expr::without_parens) else { return Left::Error };
        let at = range_of(&lhs);
        match &lhs {
            ast::Expr::CallExpr(call) => {
                let Some(callee) = call.callee() else { return Left::Error };
                let receiver = self.value(Some(&callee), at, None);
                let mut index = Vec::new();
                for arg in call.args() {
                    index.push(self.value(Some(&arg), range_of(&arg), None));
                }
                Left::Element { receiver, index, range: at }
            }
            ast::Expr::NameExpr(_) | ast::Expr::FieldExpr(_) => match self.resolve(&lhs, true) {
                Resolved::Value(id) => self.as_target(id, at),
                Resolved::Error => {
                    self.suppose_declared(&lhs);
                    Left::Error
                }
                Resolved::Type(_) | Resolved::Package(_) => {
                    self.not_assignable(at);
                    Left::Error
                }
            },
            _ => {
                let value = self.value(Some(&lhs), range, None);
                // The parser has reported the left side.
                if step && !self.is_error(value) {
                    self.not_assignable(at);
                }
                Left::Error
            }
        }
    }

    /// `x = 5` of an undeclared variable: reported here, and not again where it is used.
    fn suppose_declared(&mut self, lhs: &ast::Expr) {
        let ast::Expr::NameExpr(name) = lhs else { return };
        let Some(name) = name.name_ref() else { return };
        let local =
            self.add_local(name.text(), Ty::error(self.db), true, LocalKind::Declared, range_of(&name));
        self.declare(local);
    }

    fn as_target(&mut self, id: ExprId, range: TextRange) -> Left {
        let target = match self.body.expr(id).kind {
            ExprKind::Local(local) => AssignTarget::Local(local),
            ExprKind::Field { object, field } => AssignTarget::Field { object, field },
            ExprKind::StaticField(field) => AssignTarget::Static(field),
            ExprKind::Error => return Left::Error,
            _ if self.is_error(id) => return Left::Error,
            _ => {
                self.not_assignable(range);
                return Left::Error;
            }
        };
        if let AssignTarget::Field { field, .. } = target
            && let Some(name) = captured_variable(self.db, field)
        {
            let name = SmolStr::new(name);
            self.class_cannot_use(&name, range, true);
            return Left::Error;
        }
        if let AssignTarget::Field { field, .. } = target
            && crate::item_tree::items::field_item(self.db, field).is_some_and(|item| item.is_property)
        {
            self.report_at(range, NotAssignable::Property { field });
            return Left::Error;
        }
        let ty = match target {
            // Facts about the present value do not restrict the assigned one.
            AssignTarget::Local(local) => self.body.local(local).ty,
            AssignTarget::Field { .. } | AssignTarget::Static(_) => self.declared_type(id),
        };
        Left::Variable { target, ty, range }
    }

    fn not_assignable(&mut self, range: TextRange) {
        self.report_at(range, NotAssignable::Expression);
    }

    fn assign_variable(
        &mut self,
        target: AssignTarget,
        ty: Ty,
        at: TextRange,
        value: NewValue<'_>,
        result: Result,
        range: TextRange,
    ) -> ExprId {
        let mut stmts = Vec::new();
        let mut target = target;
        let mut old = None;
        let plain = matches!(value, NewValue::Plain(_));
        let new = match value {
            NewValue::Plain(e) => self.value(e, range, Some(ty)),
            NewValue::Combined(op, e) => {
                target = self.reusable_target(target, &mut stmts);
                let current = self.read_target(target, ty, at);
                let operand = self.value(e, range, None);
                self.binary_values(op, current, operand, range)
            }
            NewValue::Step(op) => {
                target = self.reusable_target(target, &mut stmts);
                let mut current = self.read_target(target, ty, at);
                if result == Result::Old {
                    let (stmt, local) = self.temporary(current);
                    stmts.push(stmt);
                    old = Some(local);
                    current = self.read(local, at);
                }
                self.step(op, current, ty, range)
            }
        };
        if !plain {
            self.check_narrowed(new, ty, range);
        }
        let new = if plain { new } else { self.narrowed(new, ty, range) };
        let new = self.convert(new, ty, ConversionSite::Assignment);
        if let AssignTarget::Local(local) = target {
            self.scopes.use_local(local, true);
        }
        let new_ty = self.ty(new);
        let assign = self.alloc(ExprKind::Assign { target, value: new }, new_ty, range);
        match old {
            Some(old) => {
                stmts.push(self.alloc_stmt(StmtKind::Expr(assign), range));
                let value = self.read(old, range);
                self.wrap(stmts, value)
            }
            None => self.wrap(stmts, assign),
        }
    }

    fn assign_element(
        &mut self,
        receiver: ExprId,
        index: Vec<ExprId>,
        at: TextRange,
        value: NewValue<'_>,
        result: Result,
        range: TextRange,
    ) -> ExprId {
        let mut stmts = Vec::new();
        let mut old = None;
        let plain = matches!(value, NewValue::Plain(_));
        let (receiver, index, mut new) = match value {
            NewValue::Plain(e) => {
                let expected = self.element_type(receiver);
                let value = self.value(e, range, expected);
                (receiver, index, value)
            }
            NewValue::Combined(..) | NewValue::Step(_) => {
                let receiver = self.reusable(receiver, &mut stmts);
                let index: Vec<ExprId> = index.into_iter().map(|i| self.reusable(i, &mut stmts)).collect();
                let (new, before) =
                    self.changed_element(receiver, &index, at, value, result, &mut stmts, range);
                old = before;
                let receiver = self.again(receiver);
                let index = index.into_iter().map(|i| self.again(i)).collect();
                (receiver, index, new)
            }
        };
        let mut delivered = None;
        if result == Result::New {
            let (stmt, local) = self.temporary(new);
            stmts.push(stmt);
            delivered = Some(local);
            new = self.read(local, range);
        }
        // The element was not computed.
        let call = match self.is_error(new) && !plain {
            true => self.error(range),
            false => self.set_element(receiver, index, new, range),
        };
        match old.or(delivered) {
            Some(local) => {
                stmts.push(self.alloc_stmt(StmtKind::Expr(call), range));
                let value = self.read(local, range);
                self.wrap(stmts, value)
            }
            None => self.wrap(stmts, call),
        }
    }

    /// The new value of an element that is changed, and the local that keeps the old one if it is needed.
    #[allow(clippy::too_many_arguments, reason = "all are parts of the one assignment")]
    fn changed_element(
        &mut self,
        receiver: ExprId,
        index: &[ExprId],
        at: TextRange,
        value: NewValue<'_>,
        result: Result,
        stmts: &mut Vec<StmtId>,
        range: TextRange,
    ) -> (ExprId, Option<LocalId>) {
        let operand = match value {
            NewValue::Combined(_, e) => {
                let operand = self.value(e, range, None);
                Some(if result == Result::Unused { operand } else { self.reusable(operand, stmts) })
            }
            _ => None,
        };
        let mut current = self.apply(receiver, index.to_vec(), at);
        let ty = self.ty(current).base(self.db);
        let mut old = None;
        let new = match (value, operand) {
            (NewValue::Combined(op, _), Some(operand)) => self.binary_values(op, current, operand, range),
            (NewValue::Step(op) | NewValue::Combined(op, _), _) => {
                if result == Result::Old {
                    let (stmt, local) = self.temporary(current);
                    stmts.push(stmt);
                    old = Some(local);
                    current = self.read(local, at);
                }
                self.step(op, current, ty, range)
            }
            (NewValue::Plain(_), _) => current,
        };
        self.check_narrowed(new, ty, range);
        (self.narrowed(new, ty, range), old)
    }

    /// Reports `i += 2.5` with an integer `i`, which discards the fractional part.
    fn check_narrowed(&mut self, new: ExprId, ty: Ty, range: TextRange) {
        let db = self.db;
        let from = self.ty(new);
        let floats = matches!(from.primitive(db), Some(Known::Float | Known::Double));
        if !floats || !ty.primitive(db).is_some_and(Known::is_integer) {
            return;
        }
        self.report_at(range, NarrowedAssignment { from: from.base(db), to: ty.base(db) });
    }

    pub(crate) fn wrap(&mut self, stmts: Vec<StmtId>, result: ExprId) -> ExprId {
        if stmts.is_empty() {
            return result;
        }
        let (ty, range) = (self.ty(result), self.range(result));
        self.alloc(ExprKind::Let { stmts, result }, ty, range)
    }

    fn reusable_target(&mut self, target: AssignTarget, stmts: &mut Vec<StmtId>) -> AssignTarget {
        match target {
            AssignTarget::Field { object, field } => {
                AssignTarget::Field { object: self.reusable(object, stmts), field }
            }
            other => other,
        }
    }

    fn read_target(&mut self, target: AssignTarget, ty: Ty, range: TextRange) -> ExprId {
        match target {
            AssignTarget::Local(local) => self.read(local, range),
            AssignTarget::Field { object, field } => {
                let object = self.again(object);
                self.alloc(ExprKind::Field { object, field }, ty, range)
            }
            AssignTarget::Static(field) => self.alloc(ExprKind::StaticField(field), ty, range),
        }
    }

    /// `x op= e` is `x = (x op e) as T` for a number `x` of type `T`.
    fn narrowed(&mut self, new: ExprId, ty: Ty, range: TextRange) -> ExprId {
        let number = |ty: Ty| ty.primitive(self.db).is_some_and(Known::is_number);
        let from = self.ty(new);
        if !number(ty) || !number(from) || self.is_assignable(from, ty.base(self.db)) {
            return new;
        }
        self.cast_to(new, ty.base(self.db), range)
    }

    /// `current + (1 as T)`, `current - (1 as T)`.
    fn step(&mut self, op: ast::BinaryOp, current: ExprId, ty: Ty, range: TextRange) -> ExprId {
        let plain = ty.base(self.db);
        if plain.is_error(self.db) {
            return current;
        }
        let one = match plain.primitive(self.db) {
            Some(Known::Float | Known::Double) => Literal::Float(1f64.to_bits()),
            Some(known) if known.is_integer() => Literal::Int(1),
            _ => {
                let long = Ty::long(self.db);
                let one = self.alloc(ExprKind::Literal(Literal::Int(1)), long, range);
                if !self.may_be_cast(one, plain) {
                    self.report_at(range, NoOperator::Step { op: op.text(), ty: plain });
                    return self.error(range);
                }
                let one = self.cast_to(one, plain, range);
                return self.binary_values(op, current, one, range);
            }
        };
        let one = self.alloc(ExprKind::Literal(one), plain, range);
        self.binary_values(op, current, one, range)
    }
}
