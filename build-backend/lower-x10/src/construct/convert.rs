//! Conversions between representations: boxing and unboxing, reference casts, and adapters between function
//! types with different calling conventions.

use apg_analysis::program::ty::{Ty, TyKind};

use crate::builder::function::{Builder, Returns};
use crate::builder::operands::{expr, operation, zero};
use crate::mono::instances::immutable_field;
use crate::mono::types::{Shape, erased, is_reference};
use crate::{ClassKey, Lowerer};
use apg_mir::{self as mir, CastTarget, ExprKind};

impl Builder<'_, '_> {
    /// `value` of concrete type `from` as one of concrete type `to`; what may fail is checked at run time.
    pub(crate) fn convert(&mut self, value: mir::Expr, from: Ty, to: Ty) -> mir::Expr {
        let db = self.lowerer.db;
        if from == to || to.is_void(db) || to.is_error(db) {
            return value;
        }
        if from.is_void(db) {
            // The value of an expression without one: keeps the effect and yields zero.
            let machine = self.lowerer.machine(to);
            self.push(mir::StmtKind::Expr(value));
            return zero(machine);
        }
        let machine = self.lowerer.machine(to);
        match (self.lowerer.shape(from), self.lowerer.shape(to)) {
            (Shape::Value, Shape::Value) => self.convert_value(value, machine),
            (Shape::Value, _) => {
                let boxed = self.boxed(value, from);
                self.retype(boxed, machine)
            }
            (_, Shape::Value) => self.unboxed(value, to),
            _ => {
                if let TyKind::Function { .. } = to.kind(db)
                    && let Some(function) = self.lowerer.function_supertype(from)
                    && self.lowerer.calling_convention(function) != self.lowerer.calling_convention(to)
                {
                    return self.adapted(value, function, to);
                }
                self.retype(value, machine)
            }
        }
    }

    /// A value of one value type as another: only primitives differ here, and only by width.
    fn convert_value(&mut self, value: mir::Expr, to: mir::Ty) -> mir::Expr {
        if value.ty == to || matches!(to, mir::Ty::Struct(_)) || matches!(value.ty, mir::Ty::Struct(_)) {
            return value;
        }
        operation(mir::Operation::Convert, to, vec![value])
    }

    /// An unchecked cast of a reference.
    pub(crate) fn retype(&mut self, value: mir::Expr, to: mir::Ty) -> mir::Expr {
        if value.ty == to {
            return value;
        }
        if matches!(value.kind, ExprKind::Null | ExprKind::Zero) {
            return expr(to, value.kind);
        }
        let class = match to {
            mir::Ty::Ref(class) => class,
            mir::Ty::Any => self.lowerer.root(),
            _ => return expr(to, value.kind),
        };
        let target = CastTarget::Class(class);
        expr(to, ExprKind::Cast { value: Box::new(value), target, checked: false })
    }

    /// A reference as one to any object.
    pub(crate) fn as_any(&mut self, value: mir::Expr) -> mir::Expr {
        if is_reference(value.ty) { self.retype(value, mir::Ty::Any) } else { value }
    }

    /// Boxes a value of struct type.
    pub(crate) fn boxed(&mut self, value: mir::Expr, ty: Ty) -> mir::Expr {
        let class = self.lowerer.box_of(ty);
        self.lowerer.instantiate(class);
        expr(mir::Ty::Ref(class), ExprKind::MakeObject { class, fields: vec![value] })
    }

    /// Unboxes a value; raises ClassCastException if it is no box of that type.
    fn unboxed(&mut self, value: mir::Expr, ty: Ty) -> mir::Expr {
        let class = self.lowerer.box_of(ty);
        let machine = self.lowerer.machine(ty);
        let target = CastTarget::Class(class);
        let object =
            expr(mir::Ty::Ref(class), ExprKind::Cast { value: Box::new(value), target, checked: true });
        // The cast rejects null.
        expr(machine, ExprKind::Field { object: Box::new(object), class, field: 0, checked: false })
    }

    /// A function value wrapped so that it can be called with the conventions of `to`.
    fn adapted(&mut self, value: mir::Expr, from: Ty, to: Ty) -> mir::Expr {
        let class = self.lowerer.adapter(from, to, &self.source.clone());
        let value = self.as_any(value);
        let made = expr(mir::Ty::Ref(class), ExprKind::MakeObject { class, fields: vec![value] });
        self.retype(made, mir::Ty::Any)
    }

    /// `value as to` or a checked conversion of a value to a type.
    pub(crate) fn cast(&mut self, value: mir::Expr, from: Ty, to: Ty) -> mir::Expr {
        let (from_shape, to_shape) = (self.lowerer.shape(from), self.lowerer.shape(to));
        if from_shape == Shape::Value || to_shape == Shape::Value || self.is_upcast(from, to) {
            return self.convert(value, from, to);
        }
        let machine = self.lowerer.machine(to);
        if self.lowerer.is_any(to) {
            return self.retype(value, machine);
        }
        let target = self.lowerer.cast_target(to);
        expr(machine, ExprKind::Cast { value: Box::new(value), target, checked: true })
    }

    fn is_upcast(&mut self, from: Ty, to: Ty) -> bool {
        from == to || from.is_null(self.lowerer.db) || self.lowerer.all_supertypes(from).contains(&to)
    }

    /// A constant answer. The value is evaluated for its effect.
    pub(crate) fn known(&mut self, value: mir::Expr, answer: bool) -> mir::Expr {
        if !self.is_constant(&value) {
            self.push(mir::StmtKind::Expr(value));
        }
        crate::builder::operands::bool(answer)
    }

    /// `value instanceof ty`.
    pub(crate) fn instance_of(&mut self, value: mir::Expr, from: Ty, ty: Ty) -> mir::Expr {
        match (self.lowerer.shape(from), self.lowerer.shape(ty)) {
            (Shape::Value, Shape::Value) => self.known(value, from == ty),
            (Shape::Value, _) => {
                let answer = self.lowerer.is_any(ty) || self.lowerer.all_supertypes(from).contains(&ty);
                self.known(value, answer)
            }
            _ => {
                let target = match self.lowerer.shape(ty) {
                    Shape::Value => CastTarget::Class(self.lowerer.box_of(ty)),
                    _ => self.lowerer.cast_target(ty),
                };
                expr(mir::Ty::Bool, ExprKind::InstanceOf { value: Box::new(value), target })
            }
        }
    }
}

impl<'db> Lowerer<'db> {
    /// Whether this is `x10.lang.Any`.
    pub(crate) fn is_any(&self, ty: Ty) -> bool {
        ty.as_class(self.db).is_some_and(|it| it.0 == self.any_class)
    }

    /// The class or interface that a reference of this type is an instance of.
    pub(crate) fn cast_target(&mut self, ty: Ty) -> CastTarget {
        match self.shape(ty) {
            Shape::Class => CastTarget::Class(self.class_of(ty)),
            _ if self.is_any(ty)
                || !matches!(ty.kind(self.db), TyKind::Class { .. } | TyKind::Function { .. }) =>
            {
                CastTarget::Class(self.root())
            }
            _ => CastTarget::Interface(self.interface_of(ty)),
        }
    }

    /// The function type that a type is or implements.
    pub(crate) fn function_supertype(&mut self, ty: Ty) -> Option<Ty> {
        let db = self.db;
        if matches!(ty.kind(db), TyKind::Function { .. }) {
            return Some(ty);
        }
        self.all_supertypes(ty).iter().copied().find(|it| matches!(it.kind(db), TyKind::Function { .. }))
    }

    /// Parameter and result types of a function type as its callers pass them.
    pub(crate) fn calling_convention(&mut self, function: Ty) -> (Vec<mir::Ty>, mir::Ty) {
        let Some((params, result)) = function.as_function(self.db) else {
            return (Vec::new(), mir::Ty::Void);
        };
        let params = params.iter().map(|it| erased(self.machine(*it))).collect();
        (params, erased(self.machine(result)))
    }

    /// The class whose instances hold a function of type `from` and are called as one of type `to`.
    fn adapter(&mut self, from: Ty, to: Ty, source: &crate::builder::function::Source) -> mir::ClassId {
        let key = ClassKey::Adapter(from, to);
        if let Some(&id) = self.classes.get(&key) {
            return id;
        }
        let root = self.root();
        let name = self.type_name(to);
        let class = self.new_class(key, name, mir::ClassKind::Closure, Some(root));
        self.set_fields(class, vec![immutable_field("function", mir::Ty::Any)]);
        self.instantiate(class);
        let apply = self.reserve_function();
        self.class_data[class.index()].apply = Some(apply);
        self.class_data[class.index()].function_type = Some(to);
        self.write_adapter(class, apply, from, to, source);
        class
    }

    fn write_adapter(
        &mut self,
        class: mir::ClassId,
        apply: mir::FunctionId,
        from: Ty,
        to: Ty,
        source: &crate::builder::function::Source,
    ) {
        let db = self.db;
        let (Some((inner_params, inner_result)), Some((params, result))) =
            (from.as_function(db), to.as_function(db))
        else {
            return;
        };
        let interface = self.interface_of(from);
        self.live_interface_slots.insert((interface, 0));
        let inner_machine = self.machine(inner_result);
        let machine = self.machine(result);
        let mut builder = Builder::new(self, source.clone(), Returns::Value(result));
        let this = builder.new_local("this", mir::Ty::Ref(class), false);
        for (i, param) in params.iter().enumerate() {
            let ty = builder.lowerer.machine(*param);
            builder.new_local(format!("p{i}"), ty, false);
        }
        let object = Box::new(builder.local(this));
        let mut args = vec![expr(mir::Ty::Any, ExprKind::Field { object, class, field: 0, checked: false })];
        for (i, (param, inner)) in params.iter().zip(inner_params).enumerate() {
            let value = builder.local(mir::LocalId(i as u32 + 1));
            args.push(builder.convert(value, *param, *inner));
        }
        let call = expr(inner_machine, ExprKind::CallClosure { interface, args });
        if machine == mir::Ty::Void {
            builder.push(mir::StmtKind::Expr(call));
        } else {
            let value = builder.convert(call, inner_result, result);
            builder.push(mir::StmtKind::Return(Some(value)));
        }
        builder.finish(apply, "(function adapter)".to_owned(), params.len() as u32 + 1, machine);
    }
}
