//! Expressions (C17 6.5). Side effects are statements in front of the statement that contains them.

use apg_c_analysis::hir::{BinaryOp, ExprId, ExprKind, StmtId, StmtKind, Type, UnaryOp, VariableId};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AddressSpace, Expr, Operation, Place, PlaceKind, Ty};

use crate::array_lengths::is_row;
use crate::body::{Body, Storage, int, local_value, operation, unreachable_object};
use crate::conversion::{is_float, is_integer, is_number};
use crate::literal::string_bytes;
use crate::lvalue::Lvalue;
use crate::operators::{common, hir_type};
use crate::sources::{is_table_of_characters, known_value};
use crate::unsupported::{Lowered, Unsupported, unsupported};

/// The part of an element that is used.
#[derive(Clone, Copy, PartialEq)]
enum Used {
    Value,
    Address,
    Member,
}

impl Body<'_, '_> {
    /// The value of an expression; of an array the address of its first element.
    pub(crate) fn value(&mut self, id: ExprId) -> Lowered<Expr> {
        let hir = self.unit.hir;
        let expr = hir.expr(id);
        let (range, ty) = (expr.range, &expr.ty);
        match &expr.kind {
            ExprKind::Index(..) | ExprKind::Dereference(_) if is_row(ty) => self.row_address(id, range),
            // What a pointer to a function points to is converted to the pointer again (C17 6.3.2.1).
            ExprKind::Dereference(pointer) if matches!(ty, Type::Function(_)) => self.value(*pointer),
            ExprKind::AddressOf(operand) if matches!(hir.expr(*operand).ty, Type::Function(_)) => {
                self.value(*operand)
            }
            ExprKind::Index(base, index) if self.team.is_none() && is_table_of_characters(hir, *base) => {
                self.character_classes(*index, range)
            }
            ExprKind::Variable(_)
            | ExprKind::Index(..)
            | ExprKind::Dereference(_)
            | ExprKind::Member { .. } => {
                let lvalue = self.lvalue(id)?;
                Ok(self.load(lvalue))
            }
            ExprKind::Integer(value) => {
                let ty = self.unit.ty(ty, range)?;
                Ok(int(ty, *value as i64))
            }
            ExprKind::Float(bits) => {
                let ty = self.unit.ty(ty, range)?;
                let value = f64::from_bits(*bits);
                let value = if ty == Ty::F32 { f64::from(value as f32) } else { value };
                Ok(Expr::new(ty, mir::ExprKind::Float(value)))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, *operand, ty, range),
            ExprKind::Binary(op, left, right) if op.is_condition() => {
                let condition = self.comparison(*op, *left, *right, range)?;
                self.convert(condition, &Type::INT, range)
            }
            ExprKind::Binary(op, left, right) => {
                self.check_width(*left)?;
                self.check_width(*right)?;
                let row = hir.expr(*left).ty.element().filter(|it| is_row(it));
                let left = self.value(*left)?;
                let right = self.value(*right)?;
                // The type of what functions of the compiler return is known by their values only.
                let is_known = *ty != Type::Unknown || !is_number(left.ty) || !is_number(right.ty);
                let ty = if is_known { ty.clone() } else { hir_type(common(left.ty, right.ty)) };
                let result = self.arithmetic(*op, left, right, &ty, range)?;
                let is_distance = *op == BinaryOp::Subtract && is_integer(result.ty);
                let Some(row) = row.filter(|_| is_distance) else { return Ok(result) };
                let length = self.times_row(int(Ty::I64, 1), row, range)?;
                Ok(operation(Ty::I64, Operation::DivUndefined, vec![result, length]))
            }
            ExprKind::Assign(op, target, value) => self.assign(*op, *target, *value, range),
            ExprKind::Increment { target, is_decrement, is_postfix } => {
                self.increment(*target, *is_decrement, *is_postfix, range)
            }
            ExprKind::AddressOf(operand) => self.address(*operand, range),
            ExprKind::Call(callee, arguments) => self.call(*callee, arguments, ty, true, range),
            // `__extension__`, which has the type of its operand.
            ExprKind::Cast(operand) if *ty == Type::Unknown => self.value(*operand),
            ExprKind::Cast(operand) => {
                let value = self.value(*operand)?;
                self.convert(value, ty, range)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(*condition, *then, *otherwise, ty, range)
            }
            ExprKind::Comma(first, second) => {
                self.effect(*first)?;
                self.value(*second)
            }
            ExprKind::String if self.team.is_some() => {
                let text = self.unit.expanded_text(range);
                let address = self.text_object(text);
                self.convert(address, &ty.clone().decayed(), range)
            }
            ExprKind::String => {
                let address = self.string(range)?;
                self.convert(address, &ty.clone().decayed(), range)
            }
            ExprKind::Function(_) => self.function_address(id, range),
            ExprKind::Unresolved(name) if is_function_name(name) => {
                let address = match self.team.is_some() {
                    true => self.text_object(format!("\"{}\"", self.function_name)),
                    false => self.constant_bytes(self.function_name.as_bytes().into()),
                };
                let ty = Type::Integer { bytes: 1, is_signed: true }.pointer();
                self.convert(address, &ty, range)
            }
            ExprKind::Unresolved(name) => {
                let message = format!("`{name}` is not declared");
                unsupported(range, message, "declare it, or include the header that does")
            }
            ExprKind::List(_) => {
                let lvalue = self.lvalue(id)?;
                Ok(self.load(lvalue))
            }
            ExprKind::Block(block) => self.block_value(*block, range),
            ExprKind::Designated(_)
            | ExprKind::Other(_)
            | ExprKind::Unevaluated
            | ExprKind::Section(..)
            | ExprKind::Coindexed(..) => unsupported(
                range,
                "this expression has no device form",
                "compute the value in front of the region",
            ),
        }
    }

    /// The address of the bytes of a string.
    fn string(&mut self, range: TextRange) -> Lowered<Expr> {
        match string_bytes(&self.unit.expanded_text(range)) {
            Some(bytes) => Ok(self.constant_bytes(bytes.into())),
            None => unsupported(range, "wide strings have no device form", "write a string of `char`"),
        }
    }

    /// The address of constant bytes and a zero.
    fn constant_bytes(&mut self, bytes: std::sync::Arc<[u8]>) -> Expr {
        let ty = self.unit.program.types.pointer_to(Ty::I8, AddressSpace::Generic);
        Expr::new(ty, mir::ExprKind::Bytes(bytes))
    }

    /// Whether an expression differs from zero.
    pub(crate) fn condition(&mut self, id: ExprId) -> Lowered<Expr> {
        let expr = self.unit.hir.expr(id);
        match expr.kind {
            ExprKind::Binary(op, left, right) if op.is_condition() => {
                self.comparison(op, left, right, expr.range)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.condition(operand)?;
                Ok(operation(Ty::Bool, Operation::Not, vec![operand]))
            }
            _ => {
                let value = self.value(id)?;
                self.convert_to(value, Ty::Bool, expr.range)
            }
        }
    }

    /// The value of a block: that of its last statement (GNU C, "Statement Expressions").
    fn block_value(&mut self, block: StmtId, range: TextRange) -> Lowered<Expr> {
        let hir = self.unit.hir;
        let StmtKind::Block(stmts) = &hir.stmt(block).kind else {
            return unsupported(range, "this has no value", "write an expression at the end of the block");
        };
        let Some((last, before)) = stmts.split_last() else {
            return unsupported(range, "this has no value", "write an expression at the end of the block");
        };
        before.iter().for_each(|it| self.stmt(*it));
        match hir.stmt(*last).kind {
            StmtKind::Expr(value) => {
                let value = self.value(value)?;
                Ok(if value.ty == Ty::Void { value } else { self.temporary(value) })
            }
            _ => unsupported(range, "this has no value", "write an expression at the end of the block"),
        }
    }

    /// Evaluates an expression for its effects.
    pub(crate) fn effect(&mut self, id: ExprId) -> Lowered<()> {
        let expr = self.unit.hir.expr(id);
        if !self.updated.is_empty() && self.is_update(id) {
            return self.atomic_effect(id);
        }
        match &expr.kind {
            ExprKind::Cast(operand) if expr.ty == Type::Void => self.effect(*operand),
            ExprKind::Comma(first, second) => {
                self.effect(*first)?;
                self.effect(*second)
            }
            ExprKind::Block(block) => {
                self.stmt(*block);
                Ok(())
            }
            ExprKind::Conditional(condition, Some(then), otherwise) => {
                let condition = self.condition(*condition)?;
                let then = self.nested(|it| it.effect(*then))?.0;
                let otherwise = self.nested(|it| it.effect(*otherwise))?.0;
                self.push(mir::StmtKind::If { condition, then, otherwise });
                Ok(())
            }
            _ => {
                let value = match &expr.kind {
                    ExprKind::Call(callee, arguments) => {
                        self.call(*callee, arguments, &expr.ty, false, expr.range)?
                    }
                    _ => self.value(id)?,
                };
                // All other effects are statements already.
                if matches!(value.kind, mir::ExprKind::Call { .. }) {
                    self.push(mir::StmtKind::Expr(value));
                }
                Ok(())
            }
        }
    }

    pub(crate) fn load(&mut self, lvalue: Lvalue) -> Expr {
        match lvalue {
            Lvalue::Local(local, ty) => local_value(local, ty),
            Lvalue::Bits(of) => self.load_bits(&of),
            Lvalue::Place(place) => match self.unit.program.types.array(place.ty) {
                Some(array) => {
                    let index = Box::new(int(Ty::I32, 0));
                    let first = PlaceKind::Index { base: Box::new(place), index };
                    self.address_of(Place::new(array.element, first))
                }
                None => Expr::new(place.ty, mir::ExprKind::Load(Box::new(place))),
            },
        }
    }

    /// Stores a value of the object's type.
    pub(crate) fn store_into(&mut self, lvalue: &Lvalue, value: Expr) {
        match lvalue {
            Lvalue::Local(local, _) => self.set(*local, value),
            Lvalue::Place(place) => self.store(place.clone(), value),
            Lvalue::Bits(of) => self.store_bits(of, value),
        }
    }

    /// The address of a place.
    pub(crate) fn address_of(&mut self, place: Place) -> Expr {
        let ty = self.unit.program.types.pointer_to(place.ty, AddressSpace::Generic);
        match place.kind {
            PlaceKind::Deref(pointer) if pointer.ty == ty => *pointer,
            _ => Expr::new(ty, mir::ExprKind::AddressOf(Box::new(place))),
        }
    }

    fn address(&mut self, operand: ExprId, range: TextRange) -> Lowered<Expr> {
        let of = self.unit.hir.expr(operand);
        if matches!(of.kind, ExprKind::Index(..) | ExprKind::Dereference(_)) && is_row(&of.ty) {
            return self.row_address(operand, range);
        }
        let place = match self.unit.hir.expr(operand).kind {
            ExprKind::Index(base, index) => self.element((base, index), range, Used::Address)?,
            _ => self.lvalue(operand)?,
        };
        match place {
            Lvalue::Place(place) => Ok(self.address_of(place)),
            Lvalue::Local(..) | Lvalue::Bits(_) => unsupported(
                range,
                "the address of this has no device form",
                "declare it in a block of its own",
            ),
        }
    }

    /// The object that an expression designates.
    pub(crate) fn lvalue(&mut self, id: ExprId) -> Lowered<Lvalue> {
        let hir = self.unit.hir;
        let expr = hir.expr(id);
        let range = expr.range;
        match &expr.kind {
            ExprKind::Variable(variable) => self.object(*variable, range),
            ExprKind::Dereference(pointer) => {
                if let Some(parts) = self.checked_sum(*pointer) {
                    return self.element(parts, range, Used::Value);
                }
                let pointer = self.value(*pointer)?;
                self.pointed(pointer, range).map(Lvalue::Place)
            }
            ExprKind::Index(base, index) => self.element((*base, *index), range, Used::Value),
            ExprKind::Member { base, field, is_arrow } => self.member(*base, field, *is_arrow, range),
            ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Conditional(..) | ExprKind::Comma(..) => {
                let value = self.value(id)?;
                let memory = self.memory("value", value.ty);
                let place = Place::new(value.ty, PlaceKind::Variable(memory));
                self.store(place.clone(), value);
                Ok(Lvalue::Place(place))
            }
            ExprKind::List(values) if expr.ty != Type::Unknown => {
                // A compound literal (C17 6.5.2.5).
                let memory = self.unit.ty(&expr.ty, range)?;
                let memory = self.memory("literal", memory);
                let place = Place::new(self.variables[memory.index()].ty, PlaceKind::Variable(memory));
                match values.first() {
                    Some(values) => self.fill(&place, &expr.ty, *values, range)?,
                    None => self.fill_zero(&place),
                }
                Ok(Lvalue::Place(place))
            }
            ExprKind::Cast(operand) if hir.expr(*operand).ty == expr.ty => self.lvalue(*operand),
            _ => unsupported(range, "this is no object of the device", "declare an object with this value"),
        }
    }

    /// An element of an array or behind a pointer.
    fn element(&mut self, (base, index): (ExprId, ExprId), range: TextRange, used: Used) -> Lowered<Lvalue> {
        let is_address = used == Used::Address;
        let of = &self.unit.hir.expr(base).ty;
        if let Type::Array(element, _) = of
            && !is_row(of)
            && let Lvalue::Place(place) = self.lvalue(base)?
            && self.unit.program.types.array(place.ty).is_some()
        {
            let index = self.value(index)?;
            let index = Box::new(self.check_index((base, of), index, is_address)?);
            let element = self.unit.ty(element, range)?;
            return Ok(Lvalue::Place(Place::new(element, PlaceKind::Index { base: Box::new(place), index })));
        }
        let pointer = self.value(base)?;
        let index = self.value(index)?;
        let index = self.check_index((base, of), index, is_address)?;
        // The address of an element, or of a row, is used by others.
        let is_used = !is_address && !matches!(of.element(), Some(Type::Array(..)));
        let (pointer, index) = if is_used {
            self.check_element(base, pointer, index, used == Used::Value, range)?
        } else {
            (pointer, index)
        };
        let moved = operation(pointer.ty, Operation::Offset, vec![pointer, index]);
        self.pointed(moved, range).map(Lvalue::Place)
    }

    pub(crate) fn object(&mut self, variable: VariableId, range: TextRange) -> Lowered<Lvalue> {
        let of = self.unit.hir.variable(variable);
        let known = match self.objects.get(&variable).copied() {
            None if self.team.is_some() => Some(self.file_object(variable)?),
            known => known,
        };
        match known {
            Some(Storage::Local(local)) => Ok(Lvalue::Local(local, self.locals[local.index()].ty)),
            Some(Storage::Memory(id)) => {
                Ok(Lvalue::Place(Place::new(self.variables[id.index()].ty, PlaceKind::Variable(id))))
            }
            Some(Storage::Pointed(local)) => {
                let pointer = local_value(local, self.locals[local.index()].ty);
                self.pointed(pointer, range).map(Lvalue::Place)
            }
            None if let Some(value) = known_value(self.unit.hir, variable) => {
                let ty = self.unit.ty(&of.ty, range)?;
                let local = self.local(&of.name, ty);
                self.set(local, int(ty, value));
                Ok(Lvalue::Local(local, ty))
            }
            None if self.undeclared.contains(&variable) => Err(Unsupported::consequence(range)),
            None => unreachable_object(range, &of.name),
        }
    }

    /// What a pointer points to.
    pub(crate) fn pointed(&mut self, pointer: Expr, range: TextRange) -> Lowered<Place> {
        match self.unit.program.types.pointer(pointer.ty).map(|it| it.pointee) {
            None | Some(Ty::Void | Ty::Function(_)) => {
                unsupported(range, "what this points to has no type", "convert it to a pointer to a type")
            }
            Some(ty) => Ok(Place::new(ty, PlaceKind::Deref(Box::new(pointer)))),
        }
    }

    fn member(&mut self, base: ExprId, name: &str, is_arrow: bool, range: TextRange) -> Lowered<Lvalue> {
        let of = &self.unit.hir.expr(base).ty;
        let record = if is_arrow { of.element() } else { Some(of) };
        let Some(Type::Record(record)) = record else {
            return unsupported(range, format!("the type of `{name}` is not known"), "declare the struct");
        };
        let place = if is_arrow {
            let pointer = self.value(base)?;
            self.pointed(pointer, range)?
        } else {
            let object = match self.unit.hir.expr(base).kind {
                ExprKind::Index(array, index) => {
                    self.element((array, index), self.unit.hir.expr(base).range, Used::Member)?
                }
                _ => self.lvalue(base)?,
            };
            match object {
                Lvalue::Place(place) => place,
                Lvalue::Local(..) | Lvalue::Bits(_) => {
                    return unsupported(range, format!("`{name}` is no member"), "declare the struct");
                }
            }
        };
        let Some(path) = self.unit.hir.member_path(*record, name) else {
            return unsupported(range, format!("there is no member `{name}`"), "declare the struct");
        };
        let mut found = Lvalue::Place(place);
        for step in path {
            // The parts of anonymous structs have places.
            let Lvalue::Place(place) = found else { break };
            found = self.member_of(place, step, range)?;
        }
        Ok(found)
    }

    /// The object with its address computed once.
    pub(crate) fn stable(&mut self, lvalue: Lvalue) -> Lvalue {
        match lvalue {
            Lvalue::Place(place) if !matches!(place.kind, PlaceKind::Variable(_)) => {
                let ty = place.ty;
                let address = self.address_of(place);
                let address = match address.kind {
                    mir::ExprKind::Local(_) => address,
                    _ => self.temporary(address),
                };
                Lvalue::Place(Place::new(ty, PlaceKind::Deref(Box::new(address))))
            }
            it => it,
        }
    }

    fn assign(
        &mut self,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
        range: TextRange,
    ) -> Lowered<Expr> {
        let ty = &self.unit.hir.expr(target).ty;
        let Some(op) = op else {
            let value = self.value(value)?;
            let value = self.convert(value, ty, range)?;
            let lvalue = self.lvalue(target)?;
            return Ok(self.assigned(lvalue, value));
        };
        let right = self.value(value)?;
        let right = if is_constant(&right) { right } else { self.temporary(right) };
        let lvalue = self.lvalue(target)?;
        let lvalue = self.stable(lvalue);
        let left = self.load(lvalue.clone());
        let common = match op {
            _ if matches!(left.ty, Ty::Pointer(_)) => ty.clone(),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => hir_type(common(left.ty, Ty::I32)),
            _ => hir_type(common(left.ty, right.ty)),
        };
        let result = self.arithmetic(op, left, right, &common, range)?;
        let result = self.convert(result, ty, range)?;
        Ok(self.assigned(lvalue, result))
    }

    /// Stores a value, which the assignment has as its own.
    fn assigned(&mut self, lvalue: Lvalue, value: Expr) -> Expr {
        match &lvalue {
            Lvalue::Local(local, ty) => {
                self.set(*local, value);
                local_value(*local, *ty)
            }
            Lvalue::Place(_) if is_integer(value.ty) || is_float(value.ty) => {
                let value = if is_constant(&value) { value } else { self.temporary(value) };
                self.store_into(&lvalue, value.clone());
                value
            }
            Lvalue::Place(_) | Lvalue::Bits(_) => {
                self.store_into(&lvalue, value);
                self.load(lvalue)
            }
        }
    }

    fn increment(
        &mut self,
        target: ExprId,
        is_decrement: bool,
        is_postfix: bool,
        range: TextRange,
    ) -> Lowered<Expr> {
        let ty = &self.unit.hir.expr(target).ty;
        let lvalue = self.lvalue(target)?;
        let lvalue = self.stable(lvalue);
        let before = self.load(lvalue.clone());
        let before = if is_postfix { self.temporary(before) } else { before };
        let op = if is_decrement { BinaryOp::Subtract } else { BinaryOp::Add };
        let is_pointer = matches!(before.ty, Ty::Pointer(_));
        let wide = if is_pointer { ty.clone() } else { hir_type(common(before.ty, Ty::I32)) };
        let after = self.arithmetic(op, before.clone(), int(Ty::I32, 1), &wide, range)?;
        let after = self.convert_to(after, lvalue.ty(), range)?;
        let result = self.assigned(lvalue, after);
        Ok(if is_postfix { before } else { result })
    }
}

/// Whether a name is a string with the name of the function (C17 6.4.2.2, GNU C "Function Names").
fn is_function_name(name: &str) -> bool {
    matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
}

pub(crate) fn is_constant(value: &Expr) -> bool {
    matches!(value.kind, mir::ExprKind::Int(_) | mir::ExprKind::Float(_))
}
