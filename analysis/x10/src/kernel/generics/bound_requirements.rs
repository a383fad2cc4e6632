//! What code with type parameters asks of the types that they stand for, and whether a type has it. The code of a kernel is made for each
//! choice of them, so that a method which an interface promises is a known one there.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::check::{functions_of, overridden};
use crate::ids::{ClassId, MethodId};
use crate::item_tree::ClassKind;
use crate::item_tree::items::own_methods;
use crate::kernel::device_code::functions::{FunctionSummary, reachable_functions, requires_thread_context};
use crate::kernel::device_semantics::{CalleeKind, DeviceSemantics, TypeCategory};
use crate::kernel::generics::instantiation::{
    ExecutionSpace, Instance, are_too_large, requirement_summary, requirements,
};
use crate::kernel::violation::Violation;
use crate::ty::Ty;
use crate::ty::relate::erase;
use crate::ty::subst::Substitution;
use crate::ty::test::mentions_param;

/// A call in device code of what the bound of a type parameter promises.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundCall {
    /// The type of the receiver.
    pub of: Ty,
    /// What is promised.
    pub what: BoundCallee,
    /// The arguments of the interface; for a function alone its type.
    pub class_args: Vec<Ty>,
    /// Those of the method itself.
    pub type_args: Vec<Ty>,
    /// The formals that are given rails whose elements must stay as they are.
    pub protected: Vec<usize>,
}

/// What a bound can promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundCallee {
    /// A method of an interface.
    Method(MethodId),
    /// A call as of a function.
    Function,
}

/// What code asks of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Requirement {
    /// Values of it lie in the memory of a device.
    Storable(Ty),
    /// A thread calls what its bound promises.
    Callable(BoundCall),
}

impl Requirement {
    /// The same for a choice of type parameters.
    pub fn apply(&self, semantics: &DeviceSemantics, types: &Substitution) -> Requirement {
        let db = semantics.db;
        match self {
            Requirement::Storable(ty) => Requirement::Storable(erase(db, types.apply(db, *ty))),
            Requirement::Callable(bound_call) => Requirement::Callable(BoundCall {
                of: erase(db, types.apply(db, bound_call.of)),
                class_args: types.apply_all(db, &bound_call.class_args),
                type_args: types.apply_all(db, &bound_call.type_args),
                ..bound_call.clone()
            }),
        }
    }

    /// Whether it depends on a choice that is still to be made.
    pub fn is_open(&self, semantics: &DeviceSemantics) -> bool {
        match self {
            Requirement::Storable(ty) | Requirement::Callable(BoundCall { of: ty, .. }) => {
                mentions_param(semantics.db, *ty)
            }
        }
    }
}

/// Why a type does not have what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnmetRequirement {
    /// A device cannot hold it.
    NotStorable(Ty),
    /// Its method is not made for devices.
    NotAnnotated(Ty, MethodId),
    /// Its method breaks a rule: in which function, and how.
    Invalid(MethodId, Violation),
    /// Its method is about the threads around it.
    ThreadDependent(MethodId),
    /// Its method sets elements of a rail that it has to leave alone.
    WritesCapture(MethodId),
    /// Its method comes back to itself.
    Recursive(MethodId),
}

impl DeviceSemantics<'_> {
    /// The first misfit among demands, each with the method that makes it; and among those of the methods that keep what is promised. Each is
    /// judged once: types that are made of others ask the same of them in many ways.
    pub fn unmet(
        &self,
        requirements: impl Iterator<Item = (Requirement, MethodId)>,
    ) -> Option<(UnmetRequirement, MethodId)> {
        /// As many as no sensible program reaches.
        const MOST: usize = 1000;
        let mut seen = FxHashSet::default();
        let mut open: VecDeque<(Requirement, MethodId)> = requirements.collect();
        while let Some((requirement, by)) = open.pop_front() {
            if requirement.is_open(self) || seen.len() >= MOST || !seen.insert(requirement.clone()) {
                continue;
            }
            match &requirement {
                Requirement::Storable(ty) => {
                    if !matches!(self.category(*ty), TypeCategory::Plain | TypeCategory::Unknown) {
                        return Some((UnmetRequirement::NotStorable(*ty), by));
                    }
                }
                Requirement::Callable(bound_call) => {
                    for implementation in self.implementations(bound_call) {
                        if let Some(unmet) = self.unmet_by(bound_call, &implementation) {
                            return Some((unmet, by));
                        }
                        open.extend(self.callee_requirements(&implementation));
                    }
                }
            }
        }
        None
    }

    /// What a thread that calls a function for those types asks of them.
    fn callee_requirements(&self, instance: &Instance) -> Vec<(Requirement, MethodId)> {
        if are_too_large(self.db, &instance.class_args) {
            return Vec::new();
        }
        let types = instance.types(self.db);
        let asked = requirement_summary(self.db, instance.method, ExecutionSpace::Device).iter();
        asked.map(|(requirement, by)| (requirement.apply(self, &types), *by)).collect()
    }

    /// The methods by which a type keeps a promise: of a function more than one if it is several functions.
    fn implementations(&self, bound_call: &BoundCall) -> Vec<Instance> {
        let Some((class, args)) = bound_call.of.as_class(self.db) else { return Vec::new() };
        if self.class_kind(class) != ClassKind::Struct {
            return Vec::new();
        }
        let methods = match bound_call.what {
            BoundCallee::Method(method) => self.implementing(class, args, method, &bound_call.class_args),
            BoundCallee::Function => {
                let types = Substitution::class(self.db, class, args);
                let wanted = bound_call.class_args.first();
                wanted.map_or_else(Vec::new, |wanted| functions_of(self.db, class, &types, *wanted))
            }
        };
        let instance =
            |method| Instance { method, class_args: args.to_vec(), type_args: bound_call.type_args.clone() };
        methods.into_iter().map(instance).collect()
    }

    fn implementing(&self, class: ClassId, args: &[Ty], promised: MethodId, of: &[Ty]) -> Vec<MethodId> {
        let db = self.db;
        let types = Substitution::class(db, class, args);
        let wanted = erase(db, Ty::class(db, promised.class(db), of.to_vec()));
        let is_wanted = |method: &MethodId| {
            overridden(db, class, *method)
                .iter()
                .any(|(other, owner)| *other == promised && erase(db, types.apply(db, *owner)) == wanted)
        };
        own_methods(db, class, promised.name(db)).iter().copied().filter(is_wanted).collect()
    }

    fn unmet_by(&self, bound_call: &BoundCall, implementation: &Instance) -> Option<UnmetRequirement> {
        let method = implementation.method;
        match self.callee_kind(method) {
            CalleeKind::Builtin => return None,
            CalleeKind::Function => {}
            _ => return Some(UnmetRequirement::NotAnnotated(bound_call.of, method)),
        }
        let codes = reachable_functions(self.db, method);
        if codes.iter().any(|(_, code)| code.broken) {
            return None;
        }
        if let Some((at, first)) = codes.iter().find_map(|(at, code)| Some((*at, code.first_error()?))) {
            return Some(UnmetRequirement::Invalid(at, first.clone()));
        }
        if requires_thread_context(self.db, method) {
            return Some(UnmetRequirement::ThreadDependent(method));
        }
        if self.writes_protected_rail(bound_call, &codes, method) {
            return Some(UnmetRequirement::WritesCapture(method));
        }
        self.is_recursive(implementation).then_some(UnmetRequirement::Recursive(method))
    }

    fn writes_protected_rail(
        &self,
        bound_call: &BoundCall,
        codes: &[(MethodId, Arc<FunctionSummary>)],
        method: MethodId,
    ) -> bool {
        let written = crate::kernel::device_code::functions::written_formals(
            codes.iter().map(|(method, code)| (*method, &**code)),
        );
        bound_call.protected.iter().any(|formal| written.contains(&(method, *formal)))
    }

    /// Whether a call of a function for those types leads to itself.
    fn is_recursive(&self, start: &Instance) -> bool {
        /// As many as no sensible program reaches.
        const MOST: usize = 1000;
        let mut seen = FxHashSet::default();
        let mut open = self.callees(start);
        while let Some(instance) = open.pop() {
            if instance == *start {
                return true;
            }
            if seen.len() < MOST && !instance.is_too_large(self.db) && seen.insert(instance.clone()) {
                open.extend(self.callees(&instance));
            }
        }
        false
    }

    /// What a function calls, for those types.
    fn callees(&self, instance: &Instance) -> Vec<Instance> {
        let types = instance.types(self.db);
        let requirements = requirements(self.db, instance.method, ExecutionSpace::Device);
        let mut all: Vec<Instance> =
            requirements.calls.iter().map(|(_, it)| it.apply(self.db, &types)).collect();
        for requirement in &requirements.own {
            if let Requirement::Callable(bound_call) = requirement.apply(self, &types) {
                all.extend(self.implementations(&bound_call));
            }
        }
        all
    }
}
