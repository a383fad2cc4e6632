//! Rules of expressions.

use super::body::Body;
use super::operation::{is_float, is_integral, violated_rule};
use super::{Rule, is_compatible, is_reference};
use crate::*;

impl<'p> Body<'_, 'p> {
    /// Checks an expression, whose value is of a type or is converted to it by a store.
    pub(super) fn value(&mut self, expr: &'p Expr, ty: Ty) {
        self.expr(expr);
        self.stored(expr, ty);
    }

    /// Checks that a value, which is already checked, fits a type.
    pub(super) fn stored(&mut self, expr: &Expr, ty: Ty) {
        if !is_compatible(expr.ty, ty) {
            self.report(Rule::OperandType, format!("a value of type {:?} instead of {ty:?}", expr.ty));
        }
    }

    pub(super) fn reference(&mut self, expr: &'p Expr) {
        self.value(expr, Ty::Any);
    }

    pub(super) fn integer(&mut self, expr: &'p Expr) {
        self.expr(expr);
        if !is_integral(expr.ty) {
            self.report(Rule::OperandType, format!("a value of type {:?} instead of an integer", expr.ty));
        }
    }

    pub(super) fn class(&mut self, id: ClassId) -> Option<&'p Class> {
        let class = self.program().classes.get(id.index());
        if class.is_none() {
            self.report(Rule::KnownItem, format!("there is no class {}", id.0));
        }
        class
    }

    pub(super) fn class_field(&mut self, class: ClassId, field: u32) -> Option<Ty> {
        let class = self.class(class)?;
        let found = class.fields.get(field as usize);
        if found.is_none() {
            self.report(Rule::KnownSlot, format!("{} has no field {field}", class.name));
        }
        found.map(|it| it.ty)
    }

    pub(super) fn struct_field(&mut self, ty: Ty, field: u32) -> Option<Ty> {
        let Ty::Struct(id) = ty else {
            self.report(Rule::OperandType, format!("a field of a value of type {ty:?}"));
            return None;
        };
        let item = &self.program().structs[id.index()];
        let found = item.fields.get(field as usize);
        if found.is_none() {
            self.report(Rule::KnownSlot, format!("{} has no field {field}", item.name));
        }
        found.map(|it| it.ty)
    }

    /// Checks an access of an element. In kernels, views of device memory are structs.
    pub(super) fn element(&mut self, rail: &'p Expr, index: &'p Expr, element: Ty) {
        self.rail(rail);
        self.integer(index);
        if let Ty::Ref(class) = rail.ty
            && let Some(ClassKind::Rail { element: found }) = self.class(class).map(|it| it.kind)
            && !is_compatible(found, element)
        {
            self.report(Rule::ResultType, format!("an element of type {element:?} of a rail of {found:?}"));
        }
    }

    fn rail(&mut self, rail: &'p Expr) {
        self.expr(rail);
        let is_rail = match rail.ty {
            Ty::Ref(class) => self
                .class(class)
                .is_some_and(|it| matches!(it.kind, ClassKind::Rail { .. } | ClassKind::String)),
            Ty::Any => true,
            Ty::Struct(_) => self.is_device,
            _ => false,
        };
        if !is_rail {
            self.report(Rule::OperandType, format!("a value of type {:?} instead of a rail", rail.ty));
        }
    }

    pub(super) fn result(&mut self, expr: &Expr, ty: Ty) {
        if !is_compatible(expr.ty, ty) {
            self.report(Rule::ResultType, format!("the result is a {ty:?}, not a {:?}", expr.ty));
        }
    }

    fn fields(&mut self, values: &'p [Expr], fields: &[Field]) {
        if values.len() != fields.len() {
            let message = format!("{} values for {} fields", values.len(), fields.len());
            return self.report(Rule::OperandCount, message);
        }
        for (value, field) in values.iter().zip(fields) {
            self.stored(value, field.ty);
        }
    }

    /// Checks identity and span of an expression, and its operands.
    fn node(&mut self, expr: &Expr) {
        self.check_expr_id(expr.id);
        if let Some(span) = expr.span {
            self.check_span(span);
        }
        if !self.verifier.is_known(expr.ty) {
            self.report(Rule::KnownItem, format!("there is no type {:?}", expr.ty));
        } else if matches!(expr.ty, Ty::Array(_) | Ty::Function(_)) {
            self.report(Rule::ValueType, format!("a value of type {:?}", expr.ty));
        }
    }

    /// Checks a collective operation in its only position.
    pub(super) fn collective(&mut self, expr: &Expr, args: &'p [Expr]) {
        self.node(expr);
        args.iter().for_each(|it| self.expr(it));
        if !self.is_device {
            self.report(Rule::KernelCode, "a collective operation outside of a kernel".to_owned());
        }
    }

    /// Checks an expression.
    pub(super) fn expr(&mut self, expr: &'p Expr) {
        self.node(expr);
        let span = expr.span.unwrap_or(self.span);
        let around = std::mem::replace(&mut self.span, span);
        if self.verifier.is_known(expr.ty) {
            self.kind(expr);
        }
        self.span = around;
    }

    fn kind(&mut self, expr: &'p Expr) {
        self.check_dialect(expr.kind.dialect());
        match &expr.kind {
            ExprKind::Int(_) if !is_integral(expr.ty) => {
                self.report(Rule::ResultType, format!("an integer constant of type {:?}", expr.ty));
            }
            ExprKind::Float(_) if !is_float(expr.ty) => {
                self.report(Rule::ResultType, format!("a floating constant of type {:?}", expr.ty));
            }
            ExprKind::String(_) | ExprKind::Null if !is_reference(expr.ty) => {
                self.report(Rule::ResultType, format!("a reference of type {:?}", expr.ty));
            }
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) | ExprKind::Null => {}
            ExprKind::Zero if expr.ty == Ty::Void => {
                self.report(Rule::ResultType, "a zero without a type".to_owned());
            }
            ExprKind::Zero => {}
            ExprKind::Local(local) => {
                if let Some(ty) = self.read(*local) {
                    self.result(expr, ty);
                }
            }
            ExprKind::Here => self.result(expr, Ty::I64),
            ExprKind::ThreadIndex(_) if !self.is_device => {
                self.report(Rule::KernelCode, "the index of a thread outside of a kernel".to_owned());
            }
            ExprKind::ThreadIndex(_) => {}
            ExprKind::Collective { args, .. } => {
                args.iter().for_each(|it| self.expr(it));
                let message = "a collective operation is not the value of an assignment".to_owned();
                self.report(Rule::CollectivePosition, message);
            }
            ExprKind::Operation { operation, args } => {
                args.iter().for_each(|it| self.expr(it));
                self.check_division(*operation, args);
                if matches!(operation, Operation::Offset | Operation::Distance)
                    && let Some(pointer) = args.first()
                {
                    self.moved_pointer(pointer.ty);
                }
                if let Some(rule) = violated_rule(*operation, expr.ty, args) {
                    let types: Vec<Ty> = args.iter().map(|it| it.ty).collect();
                    let name = operation.name();
                    self.report(rule, format!("`{name}` of {types:?} with result {:?}", expr.ty));
                }
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.value(a, Ty::Bool);
                self.value(b, Ty::Bool);
                self.result(expr, Ty::Bool);
            }
            ExprKind::Select { condition, then, otherwise } => {
                self.value(condition, Ty::Bool);
                self.value(then, expr.ty);
                self.value(otherwise, expr.ty);
            }
            ExprKind::Load(_)
            | ExprKind::AddressOf(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::ExternalAddress(_)
            | ExprKind::Bytes(_)
            | ExprKind::CallPointer { .. } => self.pointer_expr(expr),
            ExprKind::Call { .. }
            | ExprKind::CallVirtual { .. }
            | ExprKind::CallInterface { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::Runtime { .. } => self.call(expr),
            _ => self.memory(expr),
        }
    }

    /// A division that raises an exception needs objects.
    fn check_division(&mut self, operation: Operation, args: &[Expr]) {
        let raises = operation.rules() == ArithmeticRules::Raising
            && args.first().is_some_and(|it| is_integral(it.ty))
            && !matches!(args.get(1).map(|it| &it.kind), Some(ExprKind::Int(value)) if *value != 0);
        if raises && !self.program().has_object_heap() {
            let name = operation.name();
            let message = format!("`{name}` raises an exception: `{name}_undefined` does not");
            self.report(Rule::ObjectHeap, message);
        }
    }

    /// Fields, elements and allocations.
    fn memory(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::Field { object, class, field, .. } => {
                self.reference(object);
                if let Some(ty) = self.class_field(*class, *field) {
                    self.result(expr, ty);
                }
            }
            ExprKind::StructField { value, field } => {
                self.expr(value);
                if let Some(ty) = self.struct_field(value.ty, *field) {
                    self.result(expr, ty);
                }
            }
            ExprKind::Element { rail, index, .. } => self.element(rail, index, expr.ty),
            ExprKind::Atomic { operation, rail, index, values } => {
                match rail.ty {
                    Ty::Pointer(_) => self.pointed_element(rail, index, expr.ty),
                    _ => self.element(rail, index, expr.ty),
                }
                let count = if *operation == AtomicOperation::Compare { 2 } else { 1 };
                if values.len() != count {
                    self.report(Rule::OperandCount, format!("{} operands instead of {count}", values.len()));
                }
                values.iter().for_each(|it| self.value(it, expr.ty));
            }
            ExprKind::Length { rail, .. } => {
                self.rail(rail);
                self.result(expr, Ty::I64);
            }
            ExprKind::Static(id) => match self.program().statics.get(id.index()) {
                Some(field) => self.result(expr, field.ty),
                None => self.report(Rule::KnownItem, format!("there is no static field {}", id.0)),
            },
            ExprKind::MakeStruct(values) => {
                values.iter().for_each(|it| self.expr(it));
                match expr.ty {
                    Ty::Struct(id) => self.fields(values, &self.program().structs[id.index()].fields),
                    ty => self.report(Rule::ResultType, format!("a struct of type {ty:?}")),
                }
            }
            ExprKind::NonNull(value) => {
                self.reference(value);
                self.result(expr, value.ty);
            }
            ExprKind::Cast { value, target, .. } | ExprKind::InstanceOf { value, target } => {
                self.reference(value);
                self.target(*target);
                let is_cast = matches!(expr.kind, ExprKind::Cast { .. });
                self.result(expr, if is_cast { Ty::Any } else { Ty::Bool });
            }
            ExprKind::At { place, closure } => {
                self.value(place, Ty::I64);
                self.reference(closure);
                self.result(expr, Ty::Any);
            }
            _ => self.allocation(expr),
        }
    }

    fn target(&mut self, target: CastTarget) {
        match target {
            CastTarget::Class(class) => _ = self.class(class),
            CastTarget::Interface(id) => _ = self.interface(id),
        }
    }

    fn interface(&mut self, id: InterfaceId) -> Option<&'p Interface> {
        let found = self.program().interfaces.get(id.index());
        if found.is_none() {
            self.report(Rule::KnownItem, format!("there is no interface {}", id.0));
        }
        found
    }

    fn allocation(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::Allocate(class) => _ = self.class(*class),
            ExprKind::AllocateRail { class, length, .. } => {
                self.value(length, Ty::I64);
                self.class(*class);
            }
            ExprKind::TableRail { class, table } => {
                for class in table.classes.iter().chain([class]) {
                    self.class(*class);
                }
            }
            ExprKind::MakeObject { class, fields } => {
                fields.iter().for_each(|it| self.expr(it));
                if let Some(class) = self.class(*class) {
                    self.fields(fields, &class.fields);
                }
            }
            ExprKind::StackAllocate { slot, class, fields } => {
                fields.iter().for_each(|it| self.expr(it));
                let found = self.class(*class);
                if self.stack_objects.get(*slot as usize) != Some(class) {
                    let message = format!("the object {slot} on the stack is not one of class {}", class.0);
                    self.report(Rule::KnownSlot, message);
                } else if let Some(class) = found.filter(|_| !fields.is_empty()) {
                    self.fields(fields, &class.fields);
                }
            }
            _ => {}
        }
        self.result(expr, Ty::Any);
    }

    fn call(&mut self, expr: &'p Expr) {
        walk::children(&expr.kind).into_iter().for_each(|it| self.expr(it));
        match &expr.kind {
            ExprKind::Call { function, args } => match self.program().functions.get(function.index()) {
                Some(function) => self.arguments(expr, function, args),
                None => self.report(Rule::KnownItem, format!("there is no function {}", function.0)),
            },
            ExprKind::CallVirtual { class, slot, args } => {
                self.slot(*class, *slot, args);
                self.receiver(args);
            }
            ExprKind::CallInterface { interface, slot, args } => {
                if self.interface(*interface).is_some_and(|it| *slot >= it.slots) {
                    self.report(Rule::KnownSlot, format!("interface {} has no slot {slot}", interface.0));
                }
                self.receiver(args);
            }
            ExprKind::CallClosure { interface, args } => {
                self.interface(*interface);
                self.receiver(args);
            }
            ExprKind::Runtime { entry, args } => self.entry(expr, entry, args),
            _ => {}
        }
    }

    fn slot(&mut self, id: ClassId, slot: u32, args: &[Expr]) {
        let Some(class) = self.class(id) else { return };
        // A class without any table has no instances.
        let slots = self.verifier.slots[id.index()];
        if slots > 0 && slot as usize >= slots {
            return self.report(Rule::KnownSlot, format!("{} has no slot {slot}", class.name));
        }
        let Some(function) = class.vtable.get(slot as usize).copied().flatten() else { return };
        let function = &self.program().functions[function.index()];
        if function.params as usize != args.len() {
            self.report(Rule::OperandCount, format!("{} arguments for `{}`", args.len(), function.name));
        }
    }

    fn receiver(&mut self, args: &[Expr]) {
        match args.first() {
            Some(receiver) => self.stored(receiver, Ty::Any),
            None => self.report(Rule::OperandCount, "a call of a method without a receiver".to_owned()),
        }
    }

    fn arguments(&mut self, expr: &Expr, function: &'p Function, args: &[Expr]) {
        if function.params as usize != args.len() {
            let message = format!("{} arguments for `{}`", args.len(), function.name);
            return self.report(Rule::OperandCount, message);
        }
        for (arg, param) in args.iter().zip(&function.locals) {
            self.stored(arg, param.ty);
        }
        self.result(expr, function.result);
    }

    fn entry(&mut self, expr: &Expr, entry: &str, args: &[Expr]) {
        let Some(entries) =
            self.verifier.entries.filter(|_| ![entries::JOIN, entries::APPEND].contains(&entry))
        else {
            return;
        };
        let Some(signature) = entries(entry) else {
            return self.report(Rule::KnownEntry, format!("the runtime has no entry `{entry}`"));
        };
        if signature.params.len() != args.len() {
            let message = format!("`{entry}` takes {} arguments, not {}", signature.params.len(), args.len());
            return self.report(Rule::OperandCount, message);
        }
        for (arg, ty) in args.iter().zip(signature.params) {
            self.stored(arg, ty);
        }
        if expr.ty != Ty::Void {
            self.result(expr, signature.result);
        }
    }
}
