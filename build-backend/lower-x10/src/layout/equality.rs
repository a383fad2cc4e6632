//! Lowering of `==`, which programs cannot override.
//!
//! Values are equal if they have the same type and equal fields, objects if they are identical. Values of
//! type `Any` or of an interface are compared by their dynamic types.

use apg_analysis::program::ty::Ty;

use crate::builder::function::{Builder, Returns};
use crate::builder::operands::{bool, expr, operation};
use crate::mono::types::Shape;
use crate::{FunctionKey, Lowerer};
use apg_mir::{self as mir, CastTarget, ExprKind, Operation, StmtKind as Out};

/// The slot of the boxes' interface that compares a box with a value of type `Any`.
pub(crate) const BOXES_EQUAL: u32 = 0;
/// The number of slots of that interface.
pub(crate) const BOX_SLOTS: u32 = 1;

impl Builder<'_, '_> {
    /// `a == b`: values by value, references by identity, boxes by their contents.
    pub(crate) fn equal_values(
        &mut self,
        left: mir::Expr,
        left_ty: Ty,
        right: mir::Expr,
        right_ty: Ty,
    ) -> mir::Expr {
        let shapes = (self.lowerer.shape(left_ty), self.lowerer.shape(right_ty));
        let is_null = |it: &mir::Expr| matches!(it.kind, ExprKind::Null);
        match shapes {
            // Values are never null. Generic code compares them with null.
            (Shape::Value, _) if is_null(&right) => self.known(left, false),
            (_, Shape::Value) if is_null(&left) => self.known(right, false),
            (Shape::Value, Shape::Value) => {
                let right = self.convert(right, right_ty, left_ty);
                self.equal_structs(left, right, left_ty)
            }
            (Shape::Class, _) | (_, Shape::Class) => {
                let args = vec![self.as_any(left), self.as_any(right)];
                operation(Operation::Eq, mir::Ty::Bool, args)
            }
            _ if is_null(&left) || is_null(&right) => {
                operation(Operation::Eq, mir::Ty::Bool, vec![left, right])
            }
            _ => {
                let any = Ty::any(self.lowerer.db);
                let left = self.convert(left, left_ty, any);
                let right = self.convert(right, right_ty, any);
                let function = self.lowerer.function(FunctionKey::AnyEqual);
                expr(mir::Ty::Bool, ExprKind::Call { function, args: vec![left, right] })
            }
        }
    }

    /// Two primitives, or two values of one struct.
    fn equal_structs(&mut self, left: mir::Expr, right: mir::Expr, ty: Ty) -> mir::Expr {
        // References in kernels have their static types.
        if self.is_device_code() || !self.lowerer.has_boxes(ty) {
            return operation(Operation::Eq, mir::Ty::Bool, vec![left, right]);
        }
        let function = self.lowerer.function(FunctionKey::StructEqual(ty));
        expr(mir::Ty::Bool, ExprKind::Call { function, args: vec![left, right] })
    }
}

impl Lowerer<'_> {
    /// Whether a struct contains a field, possibly nested, that may hold a box.
    fn has_boxes(&mut self, ty: Ty) -> bool {
        ty.primitive(self.db).is_none()
            && self.value_fields(ty).into_iter().any(|field| match self.shape(field) {
                Shape::Any => true,
                Shape::Value => self.has_boxes(field),
                _ => false,
            })
    }

    /// The types of all fields of a struct, hidden ones too, in memory order.
    fn value_fields(&mut self, ty: Ty) -> Vec<Ty> {
        let own = self.own_fields(ty);
        let mut all: Vec<Ty> = own.into_iter().map(|it| self.field_of(it, ty)).collect();
        all.extend(self.hidden_types(ty));
        all
    }

    /// Builds `==` of two structs: all fields are equal.
    pub(crate) fn write_struct_equal(&mut self, ty: Ty, id: mir::FunctionId) {
        let source = self.synthetic(None, ty);
        let name = format!("{}.==", self.short_name(ty));
        let machine = self.machine(ty);
        let fields = self.value_fields(ty);
        let mut builder = Builder::new(self, source, Returns::Value(ty));
        let left = builder.new_local("a", machine, false);
        let right = builder.new_local("b", machine, false);
        let mut tests = Vec::new();
        for (index, field) in fields.into_iter().enumerate() {
            let (left, right) = (builder.local(left), builder.local(right));
            let left = builder.load(left, ty, index as u32, field, false);
            let right = builder.load(right, ty, index as u32, field, false);
            tests.push(builder.equal_values(left, field, right, field));
        }
        let both = |a, b| expr(mir::Ty::Bool, ExprKind::And(Box::new(a), Box::new(b)));
        let all = tests.into_iter().reduce(both).unwrap_or_else(|| bool(true));
        builder.push(Out::Return(Some(all)));
        builder.finish(id, name, 2, mir::Ty::Bool);
    }

    /// Builds `==` of a box and a value of type `Any`: a box of the same type with an equal value.
    pub(crate) fn write_box_equal(&mut self, ty: Ty, id: mir::FunctionId) {
        let any = Ty::any(self.db);
        let class = self.box_of(ty);
        let machine = self.machine(ty);
        let source = self.synthetic(None, ty);
        let name = format!("{}.== (in a table)", self.short_name(ty));
        let mut builder = Builder::new(self, source, Returns::Value(ty));
        let this = builder.new_local("this", mir::Ty::Ref(class), false);
        let that = builder.new_local("that", mir::Ty::Any, false);
        let (this, that) = (builder.local(this), builder.local(that));
        let is_same = builder.instance_of(that.clone(), any, ty);
        let that = builder.retype(that, mir::Ty::Ref(class));
        let value =
            |it| expr(machine, ExprKind::Field { object: Box::new(it), class, field: 0, checked: false });
        let equal = builder.equal_values(value(this), ty, value(that), ty);
        let both = ExprKind::And(Box::new(is_same), Box::new(equal));
        builder.push(Out::Return(Some(expr(mir::Ty::Bool, both))));
        builder.finish(id, name, 2, mir::Ty::Bool);
    }

    /// Builds `==` of two values of type `Any`: boxes of equal values, or the same object.
    pub(crate) fn write_any_equal(&mut self, id: mir::FunctionId) {
        let any = Ty::any(self.db);
        let source = self.synthetic(None, any);
        let interface = self.boxed_interface();
        self.live_interface_slots.insert((interface, BOXES_EQUAL));
        let mut builder = Builder::new(self, source, Returns::Value(any));
        let left = builder.new_local("a", mir::Ty::Any, false);
        let right = builder.new_local("b", mir::Ty::Any, false);
        let (left, right) = (builder.local(left), builder.local(right));
        let target = CastTarget::Interface(interface);
        let boxed = ExprKind::InstanceOf { value: Box::new(left.clone()), target };
        let args = vec![left.clone(), right.clone()];
        let by_value = ExprKind::CallInterface { interface, slot: BOXES_EQUAL, args };
        let same = operation(Operation::Eq, mir::Ty::Bool, vec![left, right]);
        let value = ExprKind::Select {
            condition: Box::new(expr(mir::Ty::Bool, boxed)),
            then: Box::new(expr(mir::Ty::Bool, by_value)),
            otherwise: Box::new(same),
        };
        builder.push(Out::Return(Some(expr(mir::Ty::Bool, value))));
        builder.finish(id, "Any.==".to_owned(), 2, mir::Ty::Bool);
    }
}
