//! Lowering of expressions.

use apg_analysis::program::body::{AssignTarget, ExprId, ExprKind as Source, Literal, LocalId, StmtId};
use apg_analysis::program::items::{ClassId, FieldId};
use apg_analysis::program::ty::Ty;

use crate::builder::function::{Builder, Variable};
use crate::builder::operands::{bool, expr, operation, zero};
use crate::mono::types::{Shape, is_reference};
use apg_mir::{self as mir, ExprKind, Operation};

impl Builder<'_, '_> {
    /// The value of an expression, in the representation of type `ty`.
    pub(crate) fn value_as(&mut self, id: ExprId, ty: Ty) -> mir::Expr {
        let from = self.type_of(id);
        let value = self.value(id);
        self.convert(value, from, ty)
    }

    /// The value of an expression, in the representation of its own type.
    pub(crate) fn value(&mut self, id: ExprId) -> mir::Expr {
        let (fast, span) = (self.fast, self.span);
        self.fast |= self.source.body.fast.contains(&id);
        let own = self.span_of(id);
        self.span = own;
        let mut value = self.expression(id);
        value.span.get_or_insert(own);
        (self.fast, self.span) = (fast, span);
        value
    }

    fn expression(&mut self, id: ExprId) -> mir::Expr {
        let source = self.source.body.clone();
        let node = source.expr(id);
        let ty = self.concrete(node.ty);
        match &node.kind {
            Source::Error => self.broken(id, ty),
            Source::Literal(literal) => self.literal(literal, ty),
            Source::Local(local) => self.read(*local, id),
            Source::This => self.this_value(id),
            Source::Outer(class) => self.outer(*class, id),
            Source::Here => self.here(ty),
            Source::Field { object, field } => self.field(*object, *field, ty),
            Source::StaticField(field) => self.static_field(*field, ty),
            Source::Call { .. } if let Some(value) = self.known_coordinate(id) => {
                self.convert(value, Ty::long(self.lowerer.db), ty)
            }
            Source::Call { method, dispatch, receiver, class_args, type_args, args } => {
                let call = crate::construct::call::Call {
                    method: *method,
                    dispatch: *dispatch,
                    receiver: *receiver,
                    class_args: self.concrete_all(class_args),
                    type_args: self.concrete_all(type_args),
                    args,
                };
                self.call(call, ty, node.range)
            }
            Source::New { outer, constructor, args, .. } => {
                self.construct(ty, *outer, *constructor, args, node.range)
            }
            Source::ClosureCall { closure, args } => self.closure_call(*closure, args, ty),
            Source::Closure(closure) => self.closure_value(closure, ty, id),
            Source::RailLiteral { element, items } => self.rail_literal(*element, items, ty),
            Source::Assign { target, value } => self.assign(*target, *value, ty),
            Source::Cast { value, checked } => {
                let from = self.type_of(*value);
                let operand = self.value(*value);
                let result = self.cast(operand, from, ty);
                if *checked { self.checked(result, ty, node.ty, node.range) } else { result }
            }
            Source::Unbox { value } => {
                let from = self.type_of(*value);
                let operand = self.value(*value);
                self.cast(operand, from, ty)
            }
            Source::Coerce { value } | Source::Box { value } => self.value_as(*value, ty),
            Source::InstanceOf { value, ty } => {
                let from = self.type_of(*value);
                let operand = self.value(*value);
                self.instance_of_constrained(operand, from, *ty, node.range)
            }
            Source::TypeTest(test) => bool(self.lowerer.type_test(test, &self.source.substitution)),
            Source::Conditional { condition, then, otherwise } => {
                self.conditional(*condition, *then, *otherwise, ty)
            }
            Source::ShortCircuit { is_or, left, right } => self.short_circuit(*is_or, *left, *right),
            Source::Equal { negated, left, right } => self.equal(*negated, *left, *right),
            Source::Concat { parts } => self.concat(parts),
            Source::Let { stmts, result } => self.let_value(stmts, *result, ty),
            Source::At { place, body, captures } => self.at_expression(*place, *body, captures, ty, id),
        }
    }

    /// The expression for its effect only.
    pub(crate) fn effect_of(&mut self, id: ExprId) {
        let source = self.source.body.clone();
        match &source.expr(id).kind {
            // The assigned value is unused and needs no temporary.
            Source::Assign { target: AssignTarget::Local(local), value } => {
                let declared = self.variable_type(*local);
                let value = self.value_as(*value, declared);
                self.store_variable(*local, value);
            }
            Source::Let { stmts, result } => {
                stmts.iter().for_each(|stmt| self.stmt(*stmt));
                self.effect_of(*result);
            }
            Source::Coerce { value } => self.effect_of(*value),
            _ => {
                let value = self.value(id);
                if !self.is_constant(&value) {
                    self.push(mir::StmtKind::Expr(value));
                }
            }
        }
    }

    fn broken(&mut self, id: ExprId, ty: Ty) -> mir::Expr {
        let range = self.source.body.expr(id).range;
        let error =
            crate::LowerError::new("build/erroneous", "this expression has an error, so it cannot be built");
        self.error(error.note("`apg check` says what is wrong with it"), range);
        let machine = self.lowerer.machine(ty);
        zero(machine)
    }

    pub(crate) fn literal(&mut self, literal: &Literal, ty: Ty) -> mir::Expr {
        let machine = self.lowerer.machine(ty);
        let kind = match literal {
            Literal::Int(value) if matches!(machine, mir::Ty::F32 | mir::Ty::F64) => {
                ExprKind::Float(*value as f64)
            }
            Literal::Int(value) => ExprKind::Int(*value),
            Literal::Float(bits) => ExprKind::Float(f64::from_bits(*bits)),
            Literal::Bool(value) => ExprKind::Int(i64::from(*value)),
            Literal::Char(value) => ExprKind::Int(i64::from(u32::from(*value))),
            Literal::String(text) => ExprKind::String(text.clone()),
            Literal::Null if is_reference(machine) => ExprKind::Null,
            Literal::Null => ExprKind::Zero,
        };
        expr(machine, kind)
    }

    fn read(&mut self, local: LocalId, id: ExprId) -> mir::Expr {
        let value = self.read_variable(local);
        let Some(value) = value else {
            let range = self.source.body.expr(id).range;
            let name = self.source.body.local(local).name.clone();
            let error =
                crate::LowerError::new("build/unbound", format!("the variable {name} is not captured here"));
            self.error(error.note("this is a defect of apg; please report the program"), range);
            let ty = self.variable_type(local);
            return zero(self.lowerer.machine(ty));
        };
        // The narrowed type may be more specific than the variable's type.
        let (declared, wanted) = (self.variable_type(local), self.type_of(id));
        self.convert(value, declared, wanted)
    }

    /// The value of a variable, in its declared type.
    pub(crate) fn read_variable(&mut self, local: LocalId) -> Option<mir::Expr> {
        let Some(variable) = self.variables.get(&local).copied() else { return self.known_outside(local) };
        Some(match variable {
            Variable::Local(local) => self.local(local),
            Variable::Cell(cell, class) => {
                let ty = self.variable_type(local);
                let machine = self.lowerer.machine(ty);
                let object = Box::new(self.local(cell));
                expr(machine, ExprKind::Field { object, class, field: 0, checked: false })
            }
        })
    }

    /// The value of a constant `val` outside of the kernel, which is not captured.
    pub(crate) fn known_outside(&mut self, local: LocalId) -> Option<mir::Expr> {
        self.kernel.as_ref()?;
        self.constant_variable(local)
    }

    /// The value of a constant `val` of this body.
    pub(crate) fn constant_variable(&mut self, local: LocalId) -> Option<mir::Expr> {
        let literal = self.lowerer.constant_local(&self.source.body, local)?;
        let ty = self.variable_type(local);
        Some(self.literal(&literal, ty))
    }

    /// `this`.
    pub(crate) fn this_value(&mut self, id: ExprId) -> mir::Expr {
        match self.this {
            Some(this) => self.local(this),
            None => {
                let ty = self.type_of(id);
                self.broken(id, ty)
            }
        }
    }

    /// `C.this`: out along the chain of enclosing objects.
    fn outer(&mut self, class: ClassId, id: ExprId) -> mir::Expr {
        let Some((value, ty)) = self.around(class) else {
            let ty = self.type_of(id);
            return self.broken(id, ty);
        };
        let wanted = self.type_of(id);
        self.convert(value, ty, wanted)
    }

    /// The enclosing object of this class, and its type.
    pub(crate) fn around(&mut self, class: ClassId) -> Option<(mir::Expr, Ty)> {
        let (ty, this) = self.source.this.zip(self.this)?;
        let value = self.local(this);
        self.out_to(value, ty, &|around| around == class)
    }

    /// `value` or an object that encloses it, of the given class.
    pub(crate) fn out_to(
        &mut self,
        mut value: mir::Expr,
        mut ty: Ty,
        is_wanted: &dyn Fn(ClassId) -> bool,
    ) -> Option<(mir::Expr, Ty)> {
        // Compares with enclosing classes, not superclasses: an inner class may extend its enclosing class.
        while ty.as_class(self.lowerer.db).is_none_or(|(around, _)| !is_wanted(around)) {
            let (outer, owner, index) = self.lowerer.outer_field(ty)?;
            value = self.load(value, owner, index, outer, false);
            ty = outer;
        }
        Some((value, ty))
    }

    /// A field of an object or struct: `owner` is the class instance that declares it.
    pub(crate) fn load(
        &mut self,
        object: mir::Expr,
        owner: Ty,
        index: u32,
        ty: Ty,
        checked: bool,
    ) -> mir::Expr {
        let machine = self.lowerer.machine(ty);
        let object = Box::new(object);
        if self.lowerer.shape(owner) == Shape::Value {
            return expr(machine, ExprKind::StructField { value: object, field: index });
        }
        let class = self.lowerer.class_of(owner);
        expr(machine, ExprKind::Field { object, class, field: index, checked })
    }

    /// `here`: a place from its number.
    pub(crate) fn here(&mut self, ty: Ty) -> mir::Expr {
        let id = expr(mir::Ty::I64, ExprKind::Here);
        self.place_from_id(id, ty)
    }

    /// The `Place` with a number.
    fn place_from_id(&mut self, id: mir::Expr, ty: Ty) -> mir::Expr {
        let machine = self.lowerer.machine(ty);
        expr(machine, ExprKind::MakeStruct(vec![id]))
    }

    /// The number of a `Place`.
    pub(crate) fn place_id(&mut self, place: ExprId) -> mir::Expr {
        let ty = self.type_of(place);
        let value = self.value(place);
        self.id_of_place(value, ty)
    }

    pub(crate) fn id_of_place(&mut self, value: mir::Expr, ty: Ty) -> mir::Expr {
        let place = Ty::place(self.lowerer.db);
        let value = self.convert(value, ty, place);
        match value.kind {
            ExprKind::MakeStruct(mut fields) if fields.len() == 1 => fields.remove(0),
            kind => {
                let value = Box::new(expr(value.ty, kind));
                expr(mir::Ty::I64, ExprKind::StructField { value, field: 0 })
            }
        }
    }

    fn field(&mut self, object: ExprId, field: FieldId, ty: Ty) -> mir::Expr {
        let object_ty = self.type_of(object);
        let is_this = matches!(self.source.body.expr(object).kind, Source::This);
        let value = self.value(object);
        self.field_value(value, object_ty, field, ty, !is_this)
    }

    /// The field of a value of concrete type `object_ty`, as a value of type `ty`.
    pub(crate) fn field_value(
        &mut self,
        value: mir::Expr,
        object_ty: Ty,
        field: FieldId,
        ty: Ty,
        checked: bool,
    ) -> mir::Expr {
        if object_ty.rail_element(self.lowerer.db).is_some() && field.name(self.lowerer.db) == "size" {
            return expr(mir::Ty::I64, ExprKind::Length { rail: Box::new(value), checked });
        }
        let global = object_ty.global_rail_element(self.lowerer.db).is_some();
        if global && self.is_device_code() && field.name(self.lowerer.db) == "size" {
            return expr(mir::Ty::I64, ExprKind::Length { rail: Box::new(value), checked: false });
        }
        let Some((owner, index)) = self.lowerer.locate_field(object_ty, field) else {
            let machine = self.lowerer.machine(ty);
            return zero(machine);
        };
        let declared = self.lowerer.field_of(field, owner);
        let value = self.upcast_for_field(value, owner);
        let loaded = self.load(value, owner, index, declared, checked);
        self.convert(loaded, declared, ty)
    }

    /// The object as one of the class that declares the field.
    pub(crate) fn upcast_for_field(&mut self, value: mir::Expr, owner: Ty) -> mir::Expr {
        if self.lowerer.shape(owner) == Shape::Value {
            return value;
        }
        let machine = self.lowerer.machine(owner);
        self.retype(value, machine)
    }

    pub(crate) fn static_field(&mut self, field: FieldId, ty: Ty) -> mir::Expr {
        if let Some(local) = self.kernel.as_ref().and_then(|it| it.statics.get(&field)).copied() {
            return self.local(local);
        }
        if let Some(literal) = self.lowerer.constant(field) {
            let declared = self.lowerer.static_type(field);
            let value = self.literal(&literal, declared);
            return self.convert(value, declared, ty);
        }
        let (id, declared) = self.lowerer.static_of(field);
        let machine = self.lowerer.machine(declared);
        let value = expr(machine, ExprKind::Static(id));
        self.convert(value, declared, ty)
    }

    fn assign(&mut self, target: AssignTarget, value: ExprId, ty: Ty) -> mir::Expr {
        match target {
            AssignTarget::Local(local) => {
                let declared = self.variable_type(local);
                let value = self.value_as(value, declared);
                let value = self.save(value);
                self.store_variable(local, value.clone());
                self.convert(value, declared, ty)
            }
            AssignTarget::Field { object, field } => self.assign_field(object, field, value, ty),
            AssignTarget::Static(field) => {
                let (id, declared) = self.lowerer.static_of(field);
                let value = self.value_as(value, declared);
                let value = self.save(value);
                self.push(mir::StmtKind::SetStatic { field: id, value: value.clone() });
                self.convert(value, declared, ty)
            }
        }
    }

    /// Stores into a variable that is declared already.
    pub(crate) fn store_variable(&mut self, local: LocalId, value: mir::Expr) {
        match self.variables.get(&local).copied() {
            Some(Variable::Local(local)) => self.set(local, value),
            Some(Variable::Cell(cell, class)) => {
                let object = self.local(cell);
                self.push(mir::StmtKind::SetField { object, class, field: 0, value, checked: false });
            }
            None => {
                let variable = self.declare(local);
                self.initialise(variable, value);
            }
        }
    }

    fn assign_field(&mut self, object: ExprId, field: FieldId, value: ExprId, ty: Ty) -> mir::Expr {
        let object_ty = self.type_of(object);
        let is_this = matches!(self.source.body.expr(object).kind, Source::This);
        let Some((owner, index)) = self.lowerer.locate_field(object_ty, field) else {
            return self.broken(object, ty);
        };
        let declared = self.lowerer.field_of(field, owner);
        if self.lowerer.shape(owner) == Shape::Value {
            let value = self.value_as(value, declared);
            let value = self.save(value);
            self.store_own_field(owner, index, value.clone());
            return self.convert(value, declared, ty);
        }
        let mut values = self.operands(&[(object, object_ty), (value, declared)]);
        let value = values.pop().unwrap_or_else(|| bool(false));
        let mut object = values.pop().unwrap_or_else(|| bool(false));
        // The operands before the value are evaluated before it.
        if !matches!(object.kind, ExprKind::Local(_)) && !self.is_constant(&value) {
            object = self.save(object);
        }
        let value = self.save(value);
        let object = self.upcast_for_field(object, owner);
        let class = self.lowerer.class_of(owner);
        self.push(mir::StmtKind::SetField {
            object,
            class,
            field: index,
            value: value.clone(),
            checked: !is_this,
        });
        self.convert(value, declared, ty)
    }

    /// Stores into a field of `this`.
    pub(crate) fn store_own_field(&mut self, owner: Ty, index: u32, value: mir::Expr) {
        let Some(this) = self.this else { return };
        if self.lowerer.shape(owner) == Shape::Value {
            self.push(mir::StmtKind::SetStructField { local: this, field: index, value });
            return;
        }
        let object = self.local(this);
        let object = self.upcast_for_field(object, owner);
        let class = self.lowerer.class_of(owner);
        self.push(mir::StmtKind::SetField { object, class, field: index, value, checked: false });
    }

    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: Ty) -> mir::Expr {
        let condition = self.value(condition);
        let (then_block, then) = self.nested(|it| it.value_as(then, ty));
        let (otherwise_block, otherwise) = self.nested(|it| it.value_as(otherwise, ty));
        let machine = self.lowerer.machine(ty);
        if then_block.is_empty() && otherwise_block.is_empty() {
            let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
            return expr(machine, ExprKind::Select { condition, then, otherwise });
        }
        let result = self.new_local("$", machine, true);
        self.set(result, zero(machine));
        let span = self.span;
        let finish = |mut block: Vec<mir::Stmt>, value| {
            block.push(mir::Stmt::new(span, mir::StmtKind::Set { local: result, value }));
            block
        };
        let (then, otherwise) = (finish(then_block, then), finish(otherwise_block, otherwise));
        self.push(mir::StmtKind::If { condition, then, otherwise });
        let value = self.local(result);
        self.snapshot(value)
    }

    /// A temporary set in branches counts as mutable while they run, not after.
    fn snapshot(&mut self, value: mir::Expr) -> mir::Expr {
        let local = self.temporary(value.ty);
        self.set(local, value);
        self.local(local)
    }

    fn short_circuit(&mut self, is_or: bool, left: ExprId, right: ExprId) -> mir::Expr {
        let left = self.value(left);
        let (mut block, right) = self.nested(|it| it.value(right));
        if block.is_empty() {
            let (left, right) = (Box::new(left), Box::new(right));
            return expr(
                mir::Ty::Bool,
                if is_or { ExprKind::Or(left, right) } else { ExprKind::And(left, right) },
            );
        }
        let result = self.new_local("$", mir::Ty::Bool, true);
        self.set(result, left);
        let span = self.span;
        block.push(mir::Stmt::new(span, mir::StmtKind::Set { local: result, value: right }));
        let condition = self.local(result);
        let (then, otherwise) = if is_or { (Vec::new(), block) } else { (block, Vec::new()) };
        self.push(mir::StmtKind::If { condition, then, otherwise });
        let value = self.local(result);
        self.snapshot(value)
    }

    fn equal(&mut self, negated: bool, left: ExprId, right: ExprId) -> mir::Expr {
        let (left_ty, right_ty) = (self.type_of(left), self.type_of(right));
        let mut values = self.operands(&[(left, left_ty), (right, right_ty)]);
        let right = values.pop().unwrap_or_else(|| bool(false));
        let left = values.pop().unwrap_or_else(|| bool(false));
        let equal = self.equal_values(left, left_ty, right, right_ty);
        match (negated, equal.kind) {
            (true, ExprKind::Operation { operation: Operation::Eq, args }) => {
                operation(Operation::Ne, mir::Ty::Bool, args)
            }
            (true, kind) => operation(Operation::Not, mir::Ty::Bool, vec![expr(mir::Ty::Bool, kind)]),
            (false, kind) => expr(mir::Ty::Bool, kind),
        }
    }

    fn let_value(&mut self, stmts: &[StmtId], result: ExprId, ty: Ty) -> mir::Expr {
        for &stmt in stmts {
            self.stmt(stmt);
        }
        self.value_as(result, ty)
    }
}
