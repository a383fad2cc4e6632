//! Whether type arguments meet the requirements of device code.
//!
//! Device code is monomorphised, so a method declared by a bound has one known target in each instantiation.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::check::{functions_of, overridden};
use crate::ids::{ClassId, MethodId};
use crate::item_tree::ClassKind;
use crate::item_tree::items::own_methods;
use crate::kernel::device_code::functions::{FunctionSummary, reachable_functions, requires_thread_context};
use crate::kernel::device_semantics::{CalleeKind, DeviceSemantics, TypeCategory};
use crate::kernel::generics::bound_call::{BoundCall, BoundCallee};
use crate::kernel::generics::instance::{Instance, are_too_large};
use crate::kernel::generics::requirements::{ExecutionSpace, Requirement, requirement_summary, requirements};
use crate::kernel::violation::Violation;
use crate::relate::subtype::erase;
use crate::ty::Ty;
use crate::ty::subst::Substitution;

/// Why a type does not meet a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnmetRequirement {
    /// It has no device representation.
    NotStorable(Ty),
    /// Its method is not marked `@CUDA`.
    NotAnnotated(Ty, MethodId),
    /// Its method violates a rule: in which function, and how.
    Invalid(MethodId, Box<Violation>),
    /// Its method depends on the threads around it.
    ThreadDependent(MethodId),
    /// Its method writes elements of a rail that must stay unchanged.
    WritesCapture(MethodId),
    /// Its method is recursive.
    Recursive(MethodId),
}

impl DeviceSemantics<'_> {
    /// The first unmet requirement, with the method that has it. Requirements of the implementing methods are
    /// checked too. A work list with a visited set: composite types often repeat requirements.
    pub(crate) fn first_unmet(
        &self,
        requirements: impl Iterator<Item = (Requirement, MethodId)>,
    ) -> Option<(UnmetRequirement, MethodId)> {
        /// Limit of the work list, beyond sensible programs.
        const MAX_VISITED_REQUIREMENTS: usize = 1000;
        let mut seen = FxHashSet::default();
        let mut open: VecDeque<(Requirement, MethodId)> = requirements.collect();
        while let Some((requirement, by)) = open.pop_front() {
            if requirement.is_open(self)
                || seen.len() >= MAX_VISITED_REQUIREMENTS
                || !seen.insert(requirement.clone())
            {
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

    /// Requirements of an instantiated function.
    fn callee_requirements(&self, instance: &Instance) -> Vec<(Requirement, MethodId)> {
        if are_too_large(self.db, &instance.class_args) {
            return Vec::new();
        }
        let types = instance.types(self.db);
        let asked = requirement_summary(self.db, instance.method, ExecutionSpace::Device).iter();
        asked.map(|(requirement, by)| (requirement.apply(self, &types), *by)).collect()
    }

    /// The methods of a type that implement a bound call; several if it implements several function types.
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
            return Some(UnmetRequirement::Invalid(at, Box::new(first.clone())));
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

    /// Whether an instantiated function can reach itself.
    fn is_recursive(&self, start: &Instance) -> bool {
        /// Limit of the work list, beyond sensible programs.
        const MAX_VISITED_REQUIREMENTS: usize = 1000;
        let mut seen = FxHashSet::default();
        let mut open = self.callees(start);
        while let Some(instance) = open.pop() {
            if instance == *start {
                return true;
            }
            if seen.len() < MAX_VISITED_REQUIREMENTS
                && !instance.is_too_large(self.db)
                && seen.insert(instance.clone())
            {
                open.extend(self.callees(&instance));
            }
        }
        false
    }

    /// Callees of an instantiated function, including those through bounds.
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
