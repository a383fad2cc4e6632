//! Thunks and dispatchers between a call and its target: for boxed receivers, results in another
//! representation, and virtual methods with type parameters.

use apg_analysis::program::items::MethodId;
use apg_analysis::program::items::methods;
use apg_analysis::program::ty::Ty;

use crate::builder::function::{Builder, Returns};
use crate::builder::operands::{expr, zero};
use crate::layout::slots::{Implementation, Universal};
use crate::mono::types::{Shape, erased};
use crate::{Callee, ClassKey, FunctionKey, Lowerer};
use apg_mir::{self as mir, CastTarget, ExprKind, StmtKind as Out};

/// A table entry that adapts a call to the target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Thunk {
    pub target: Target,
    /// The class or struct that owns the table.
    pub receiver: Ty,
    /// Whether the receiver is boxed.
    pub boxed: bool,
    /// The result type that callers expect.
    pub result: Ty,
}

/// The target of a thunk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    Method(Callee),
    Default(Universal),
}

impl Lowerer<'_> {
    /// The function for a table: the implementation, as `receiver` (in a box if `boxed`) is called through a
    /// slot whose callers expect `result`.
    pub(crate) fn table_entry(
        &mut self,
        implementation: &Implementation,
        receiver: Ty,
        boxed: bool,
        result: Ty,
    ) -> Option<mir::FunctionId> {
        let (target, own_result) = match implementation {
            Implementation::Abstract => return None,
            Implementation::Default(universal) => (Target::Default(*universal), result),
            Implementation::Method(callee) => {
                (Target::Method(callee.clone()), self.concrete_signature(callee).1)
            }
        };
        let same = erased(self.machine(own_result)) == erased(self.machine(result));
        if boxed || !same {
            return Some(self.function(FunctionKey::Thunk(Thunk { target, receiver, boxed, result })));
        }
        Some(match target {
            Target::Method(callee) => self.function(FunctionKey::Method(callee)),
            // Defaults are the same for all objects.
            Target::Default(universal) => {
                let shared = if self.shape(receiver) == Shape::Class { Ty::any(self.db) } else { receiver };
                self.function(FunctionKey::Default(universal, shared))
            }
        })
    }

    pub(crate) fn write_thunk(&mut self, thunk: &Thunk, id: mir::FunctionId) {
        let source = self.synthetic(None, thunk.receiver);
        let any = Ty::any(self.db);
        let (params, own_result) = match &thunk.target {
            Target::Method(callee) => self.concrete_signature(callee),
            Target::Default(Universal::Equals) => (vec![any], thunk.result),
            Target::Default(_) => (Vec::new(), thunk.result),
        };
        let result = self.machine(thunk.result);
        let name = format!("{} (in a table)", self.short_name(thunk.receiver));
        let receiver_machine = match &thunk.target {
            Target::Method(callee) if !thunk.boxed => self.machine(callee.owner),
            _ => mir::Ty::Any,
        };
        let class = thunk.boxed.then(|| self.box_of(thunk.receiver));
        let mut builder = Builder::new(self, source, Returns::Value(thunk.result));
        let this = builder.new_local("this", class.map_or(receiver_machine, mir::Ty::Ref), false);
        let mut args = vec![builder.local(this)];
        for (i, param) in params.iter().enumerate() {
            let machine = builder.lowerer.machine(*param);
            let local = builder.new_local(format!("p{i}"), machine, false);
            args.push(builder.local(local));
        }
        if let Some(class) = class {
            let object = Box::new(builder.local(this));
            let machine = builder.lowerer.machine(thunk.receiver);
            args[0] = expr(machine, ExprKind::Field { object, class, field: 0, checked: false });
        }
        let value = match &thunk.target {
            Target::Method(callee) => builder.call_static(callee, args, own_result, Default::default()),
            Target::Default(universal) => {
                let key = FunctionKey::Default(*universal, thunk.receiver);
                let function = builder.lowerer.function(key);
                expr(result, ExprKind::Call { function, args })
            }
        };
        let value = builder.convert(value, own_result, thunk.result);
        builder.push(if result == mir::Ty::Void { Out::Expr(value) } else { Out::Return(Some(value)) });
        builder.finish(id, name, params.len() as u32 + 1, result);
    }

    /// The function that calls a virtual method with type parameters: it tests the receiver's class.
    pub(crate) fn dispatcher(&mut self, callee: &Callee) -> mir::FunctionId {
        let key = FunctionKey::Dispatch(callee.clone());
        if let Some(&id) = self.functions.get(&key) {
            return id;
        }
        let id = self.reserve_function();
        self.functions.insert(key, id);
        self.dispatchers.push((callee.clone(), id));
        id
    }

    /// The implementations that a dispatcher chooses among, subclasses first.
    pub(crate) fn dispatch_targets(&mut self, callee: &Callee) -> Vec<(mir::ClassId, Ty, bool, Callee)> {
        let signature = self.signature(callee.method, callee.owner);
        let mut found = Vec::new();
        for index in (0..self.class_data.len()).rev() {
            if !self.class_data[index].instantiated {
                continue;
            }
            let (ty, boxed) = match self.class_data[index].key {
                ClassKey::Instance(ty) => (ty, false),
                ClassKey::Boxed(ty) => (ty, true),
                _ => continue,
            };
            if !self.all_supertypes(ty).contains(&callee.owner) {
                continue;
            }
            if let Some(Implementation::Method(mut target)) = self.implementation(ty, &signature) {
                target.type_args = callee.type_args.clone();
                found.push((mir::ClassId(index as u32), ty, boxed, target));
            }
        }
        found
    }

    /// Builds a dispatcher once all classes are known.
    pub(crate) fn write_dispatcher(&mut self, callee: &Callee, id: mir::FunctionId) {
        let targets = self.dispatch_targets(callee);
        let (params, result) = self.concrete_signature(callee);
        let machine = self.machine(result);
        let source = self.synthetic(Some(callee.method), callee.owner);
        let name = format!("{}.{} (choice)", self.short_name(callee.owner), callee.method.name(self.db));
        let mut builder = Builder::new(self, source, Returns::Value(result));
        let this = builder.new_local("this", mir::Ty::Any, false);
        let mut rest = Vec::new();
        for (i, param) in params.iter().enumerate() {
            let machine = builder.lowerer.machine(*param);
            let local = builder.new_local(format!("p{i}"), machine, false);
            rest.push(builder.local(local));
        }
        for (class, ty, boxed, target) in targets {
            let this = builder.local(this);
            let test =
                ExprKind::InstanceOf { value: Box::new(this.clone()), target: CastTarget::Class(class) };
            let condition = expr(mir::Ty::Bool, test);
            let (then, ()) = builder.nested(|it| {
                let object = it.retype(this, mir::Ty::Ref(class));
                let receiver = if boxed {
                    let machine = it.lowerer.machine(ty);
                    let object = Box::new(object);
                    expr(machine, ExprKind::Field { object, class, field: 0, checked: false })
                } else {
                    let machine = it.lowerer.machine(target.owner);
                    it.retype(object, machine)
                };
                let mut args = vec![receiver];
                args.extend(rest.iter().cloned());
                let own = it.lowerer.concrete_signature(&target).1;
                let value = it.call_static(&target, args, own, Default::default());
                let value = it.convert(value, own, result);
                if machine == mir::Ty::Void {
                    it.push(Out::Expr(value));
                    it.push(Out::Return(None));
                } else {
                    it.push(Out::Return(Some(value)));
                }
            });
            builder.push(Out::If { condition, then, otherwise: Vec::new() });
        }
        if machine != mir::Ty::Void {
            builder.push(Out::Return(Some(zero(machine))));
        }
        builder.finish(id, name, params.len() as u32 + 1, machine);
    }

    /// The slot of an interface method.
    pub(crate) fn interface_slot(&self, method: MethodId) -> u32 {
        let all = methods(self.db, method.class(self.db));
        all.iter().position(|it| *it == method).unwrap_or(0) as u32
    }

    /// The method of a type with this name and these parameter types.
    pub(crate) fn method_with(&mut self, name: &str, ty: Ty, params: &[Ty]) -> Option<Callee> {
        for supertype in self.all_supertypes(ty).iter().copied() {
            let Some((class, _)) = supertype.as_class(self.db) else { continue };
            for &method in methods(self.db, class) {
                let signature = self.signature(method, supertype);
                if signature.name == name && signature.params == params && signature.type_params == 0 {
                    return Some(Callee { method, owner: supertype, type_args: Vec::new() });
                }
            }
        }
        None
    }

    /// `Rail[T]`, if the type is one.
    pub(crate) fn as_rail(&mut self, ty: Ty) -> Option<Ty> {
        (self.shape(ty) == Shape::Class).then_some(())?;
        self.all_supertypes(ty).iter().copied().find(|it| it.rail_element(self.db).is_some())
    }
}
