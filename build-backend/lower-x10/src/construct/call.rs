//! Lowering of calls: direct, virtual, through interfaces, and of closures.

use apg_analysis::program::body::{Dispatch, ExprId, ExprKind as Source};
use apg_analysis::program::items::ClassKind;
use apg_analysis::program::items::MethodId;
use apg_analysis::program::items::{class_kind, method_is_static};
use apg_analysis::program::kernel::requires_thread_context;
use apg_analysis::program::ty::Ty;
use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::builder::function::Builder;
use crate::builder::operands::{expr, zero};
use crate::layout::slots::{Implementation, Signature, Universal};
use crate::mono::types::Shape;
use crate::{Callee, FunctionKey, LowerError};
use apg_mir::{self as mir, ExprKind};

/// A call in the source, its types concrete.
pub(crate) struct Call<'a> {
    pub method: MethodId,
    pub dispatch: Dispatch,
    pub receiver: Option<ExprId>,
    pub class_args: Vec<Ty>,
    pub type_args: Vec<Ty>,
    pub args: &'a [ExprId],
}

impl Builder<'_, '_> {
    /// A call whose value is converted to type `ty`.
    pub(crate) fn call(&mut self, call: Call<'_>, ty: Ty, range: TextRange) -> mir::Expr {
        let db = self.lowerer.db;
        if let Some(value) = self.kernel_call(&call, ty) {
            return value;
        }
        let is_static = method_is_static(db, call.method);
        let owner = self.owner(&call, is_static);
        let callee = Callee { method: call.method, owner, type_args: call.type_args.clone() };
        let (params, result) = self.lowerer.concrete_signature(&callee);
        let mut operands = Vec::new();
        let receiver = call.receiver.filter(|_| !is_static).map(|it| self.unboxed_receiver(it));
        let receiver_ty = receiver.map(|it| self.type_of(it));
        if let (Some(receiver), Some(ty)) = (receiver, receiver_ty) {
            operands.push((receiver, ty));
        }
        operands.extend(call.args.iter().copied().zip(params.iter().copied()));
        self.at(range);
        let values = self.operands(&operands);
        self.at(range);
        let value = match receiver_ty {
            None => self.call_static(&callee, values, result, range),
            Some(ty) => {
                let is_this =
                    receiver.is_some_and(|it| matches!(self.source.body.expr(it).kind, Source::This));
                self.call_instance(&callee, call.dispatch, ty, is_this, values, result, range)
            }
        };
        if let (Some(receiver), ExprKind::Call { function, .. }) = (receiver, &value.kind) {
            self.note_element_access(&callee, *function, receiver, call.args);
        }
        self.convert(value, result, ty)
    }

    /// Calls of universal methods on values are direct and need no box.
    fn unboxed_receiver(&mut self, receiver: ExprId) -> ExprId {
        let mut inner = receiver;
        while let Source::Box { value } | Source::Coerce { value } = self.source.body.expr(inner).kind {
            inner = value;
        }
        let ty = self.type_of(inner);
        if self.lowerer.shape(ty) == Shape::Value { inner } else { receiver }
    }

    /// The class instance that declares the method. Static methods have no class type arguments.
    fn owner(&mut self, call: &Call<'_>, is_static: bool) -> Ty {
        let db = self.lowerer.db;
        let class = call.method.class(db);
        if is_static {
            return Ty::class(db, class, Vec::new());
        }
        // The receiver's type also has the type arguments of enclosing classes.
        let of_receiver = call.receiver.map(|it| self.type_of(it));
        let found = of_receiver.and_then(|it| self.lowerer.as_instance_of(it, class));
        found.unwrap_or_else(|| {
            let plain = Ty::class(db, class, call.class_args.clone());
            self.concrete(plain)
        })
    }

    pub(crate) fn call_static(
        &mut self,
        callee: &Callee,
        args: Vec<mir::Expr>,
        result: Ty,
        range: TextRange,
    ) -> mir::Expr {
        if let Some(name) = self.lowerer.intrinsic(callee.method) {
            return self.expand(&name, args, result, range);
        }
        let key = if self.is_device_code() && !self.before_launch {
            self.check_kernel_call(callee.method, range);
            FunctionKey::KernelMethod(callee.clone())
        } else {
            FunctionKey::Method(callee.clone())
        };
        let function = self.lowerer.function(key);
        let machine = self.lowerer.machine(result);
        let call = expr(machine, ExprKind::Call { function, args });
        self.of_threads(callee.method, call)
    }

    /// A call in device code. Calls of functions that must be inlined are statements, which inlining
    /// replaces.
    fn of_threads(&mut self, method: MethodId, call: mir::Expr) -> mir::Expr {
        if !self.is_device_code() || !requires_thread_context(self.lowerer.db, method) {
            return call;
        }
        if call.ty != mir::Ty::Void {
            return self.save(call);
        }
        self.push(mir::StmtKind::Expr(call));
        zero(mir::Ty::Void)
    }

    /// A call of an instance method; `args` starts with the receiver, of type `receiver`.
    #[allow(clippy::too_many_arguments, reason = "all of it is the call")]
    pub(crate) fn call_instance(
        &mut self,
        callee: &Callee,
        dispatch: Dispatch,
        receiver: Ty,
        is_this: bool,
        mut args: Vec<mir::Expr>,
        result: Ty,
        range: TextRange,
    ) -> mir::Expr {
        let machine = self.lowerer.machine(result);
        let signature = self.lowerer.signature(callee.method, callee.owner);
        if self.lowerer.shape(receiver) == Shape::Value {
            return self.call_on_value(callee, receiver, &signature, args, result, range);
        }
        let direct = dispatch != Dispatch::Virtual || self.lowerer.is_final(callee.method);
        let in_interface =
            class_kind(self.lowerer.db, callee.method.class(self.lowerer.db)) == Some(ClassKind::Interface);
        if direct && !in_interface {
            let checks_itself =
                self.lowerer.intrinsic(callee.method).is_some_and(|it| it == "rail.get" || it == "rail.set");
            if !is_this && dispatch != Dispatch::Super && !checks_itself {
                self.check_receiver(&mut args);
            }
            self.upcast_receiver(&mut args, callee.owner);
            return self.call_static(callee, args, result, range);
        }
        if let Some(universal) = self.lowerer.universal(&signature) {
            return self.call_universal(universal, dispatch, args, machine);
        }
        if signature.type_params > 0 {
            self.check_receiver(&mut args);
            args[0] = self.as_any(args[0].clone());
            let function = self.lowerer.dispatcher(callee);
            return expr(machine, ExprKind::Call { function, args });
        }
        if in_interface {
            // A slot of the receiver's class is cheaper.
            let interface = self.lowerer.interface_of(callee.owner);
            let slot = self.lowerer.interface_slot(callee.method);
            self.lowerer.live_interface_slots.insert((interface, slot));
            args[0] = self.as_any(args[0].clone());
            return expr(machine, ExprKind::CallInterface { interface, slot, args });
        }
        self.call_slot(callee, &signature, args, result, range)
    }

    fn call_slot(
        &mut self,
        callee: &Callee,
        signature: &Signature,
        mut args: Vec<mir::Expr>,
        result: Ty,
        range: TextRange,
    ) -> mir::Expr {
        let layout = self.lowerer.layout(callee.owner);
        let Some(&slot) = layout.by_signature.get(signature) else {
            self.unsupported("this call", range);
            return zero(self.lowerer.machine(result));
        };
        let introduced_by = layout.slots[slot as usize].introduced_by;
        self.lowerer.live_slots.insert((introduced_by, slot));
        let class = self.lowerer.class_of(callee.owner);
        self.upcast_receiver(&mut args, callee.owner);
        // The result of the method that introduced the slot may be less specific.
        let promised = self.lowerer.slot_result(introduced_by, slot);
        let machine = self.lowerer.machine(promised);
        let value = expr(machine, ExprKind::CallVirtual { class, slot, args });
        self.convert(value, promised, result)
    }

    /// A universal method of a reference.
    fn call_universal(
        &mut self,
        universal: Universal,
        dispatch: Dispatch,
        mut args: Vec<mir::Expr>,
        machine: mir::Ty,
    ) -> mir::Expr {
        if dispatch == Dispatch::Super {
            // No supertype overrides it: the default.
            let any = Ty::any(self.lowerer.db);
            args[0] = self.as_any(args[0].clone());
            let function = self.lowerer.function(FunctionKey::Default(universal, any));
            return expr(machine, ExprKind::Call { function, args });
        }
        self.lowerer.live_slots.insert((None, universal.slot()));
        args[0] = self.as_any(args[0].clone());
        let class = self.lowerer.root();
        expr(machine, ExprKind::CallVirtual { class, slot: universal.slot(), args })
    }

    /// A method of a primitive or struct, always direct.
    fn call_on_value(
        &mut self,
        callee: &Callee,
        receiver: Ty,
        signature: &Signature,
        args: Vec<mir::Expr>,
        result: Ty,
        range: TextRange,
    ) -> mir::Expr {
        let machine = self.lowerer.machine(result);
        let is_own =
            receiver.as_class(self.lowerer.db).is_some_and(|it| it.0 == callee.method.class(self.lowerer.db));
        let found = if is_own {
            Some(Implementation::Method(callee.clone()))
        } else {
            self.lowerer.implementation(receiver, signature)
        };
        if let Some(that) = self.equals_argument(receiver, signature, found.as_ref(), &args) {
            let this = args.into_iter().next().unwrap_or_else(|| crate::builder::operands::bool(false));
            return self.equal_values(this, receiver, that, receiver);
        }
        match found {
            Some(Implementation::Method(mut found)) => {
                found.type_args = callee.type_args.clone();
                let declared = self.lowerer.concrete_signature(&found).1;
                let value = self.call_static(&found, args, declared, range);
                self.convert(value, declared, result)
            }
            Some(Implementation::Default(universal)) => {
                let function = self.lowerer.function(FunctionKey::Default(universal, receiver));
                expr(machine, ExprKind::Call { function, args })
            }
            _ => {
                let ty = self.lowerer.type_name(receiver);
                let name = callee.method.name(self.lowerer.db).clone();
                let error =
                    LowerError::new("build/no-implementation", format!("{ty} does not implement {name}"));
                self.error(error, range);
                zero(machine)
            }
        }
    }

    /// The unboxed argument of `equals` on a value whose `equals` is `==`.
    fn equals_argument(
        &mut self,
        receiver: Ty,
        signature: &Signature,
        found: Option<&Implementation>,
        args: &[mir::Expr],
    ) -> Option<mir::Expr> {
        let is_equals = self.lowerer.universal(signature) == Some(Universal::Equals);
        let is_own = matches!(found, Some(Implementation::Method(_)));
        if !is_equals || is_own && matches!(self.lowerer.machine(receiver), mir::Ty::Struct(_)) {
            return None;
        }
        let mut that = args.get(1)?;
        while let ExprKind::Cast { value, checked: false, .. } = &that.kind {
            that = value;
        }
        let ExprKind::MakeObject { class, fields } = &that.kind else { return None };
        let value = fields.first()?.clone();
        (*class == self.lowerer.box_of(receiver)).then_some(value)
    }

    fn upcast_receiver(&mut self, args: &mut [mir::Expr], owner: Ty) {
        if self.lowerer.shape(owner) != Shape::Class {
            return;
        }
        let machine = self.lowerer.machine(owner);
        if let Some(receiver) = args.first_mut() {
            let value = std::mem::replace(receiver, crate::builder::operands::bool(false));
            *receiver = self.retype(value, machine);
        }
    }

    /// Adds the null check of the receiver of a direct call.
    fn check_receiver(&mut self, args: &mut [mir::Expr]) {
        let Some(receiver) = args.first_mut() else { return };
        let known = matches!(
            receiver.kind,
            ExprKind::NonNull(_) | ExprKind::Allocate(_) | ExprKind::MakeObject { .. } | ExprKind::String(_)
        );
        if !known {
            let value = std::mem::replace(receiver, crate::builder::operands::bool(false));
            *receiver = expr(value.ty, ExprKind::NonNull(Box::new(value)));
        }
    }

    /// `f(args)` of a value of function type.
    pub(crate) fn closure_call(&mut self, closure: ExprId, args: &[ExprId], ty: Ty) -> mir::Expr {
        let closure_ty = self.type_of(closure);
        let function = self.lowerer.function_supertype(closure_ty).unwrap_or(closure_ty);
        let (params, result) = match function.as_function(self.lowerer.db) {
            Some((params, result)) => (params.to_vec(), result),
            None => (Vec::new(), ty),
        };
        let value = self.unboxed_receiver(closure);
        let value_ty = self.type_of(value);
        if self.lowerer.shape(value_ty) == Shape::Value {
            return self.function_value_call((value, value_ty), args, params, (result, ty));
        }
        let mut operands = vec![(closure, closure_ty)];
        operands.extend(args.iter().copied().zip(params));
        let mut values = self.operands(&operands);
        values[0] = self.as_any(values[0].clone());
        let interface = self.lowerer.interface_of(function);
        self.lowerer.live_interface_slots.insert((interface, 0));
        let machine = self.lowerer.machine(result);
        let value = expr(machine, ExprKind::CallClosure { interface, args: values });
        self.convert(value, result, ty)
    }

    /// `f(args)` of a struct that implements the function type: a direct call of its operator.
    fn function_value_call(
        &mut self,
        (function, function_ty): (ExprId, Ty),
        args: &[ExprId],
        params: Vec<Ty>,
        (result, wanted): (Ty, Ty),
    ) -> mir::Expr {
        let range = self.source.body.expr(function).range;
        let name = SmolStr::new_static("operator()");
        let signature = Signature { name, reversed: false, type_params: 0, params: params.clone() };
        let found = self.lowerer.implementation(function_ty, &signature);
        let Some(Implementation::Method(callee)) = found else {
            self.unsupported("this call", range);
            return zero(self.lowerer.machine(wanted));
        };
        let mut operands = vec![(function, function_ty)];
        operands.extend(args.iter().copied().zip(params));
        let values = self.operands(&operands);
        let declared = self.lowerer.concrete_signature(&callee).1;
        let value = self.call_static(&callee, values, declared, range);
        let value = self.convert(value, declared, result);
        self.convert(value, result, wanted)
    }
}
