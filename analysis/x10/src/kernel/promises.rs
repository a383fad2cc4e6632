//! What code with type parameters asks of the types that they stand for, and whether a type has it. The code of a kernel is made for each
//! choice of them, so that a method which an interface promises is a known one there.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::facts::{Callable, Facts, Shape};
use super::function::{FunctionCode, is_of_threads, reached};
use super::instances::{Instance, Side, demands, outgrown, summary};
use super::violation::Violation;
use crate::check::{functions_of, overridden};
use crate::ids::{ClassId, MethodId};
use crate::item_tree::ClassKind;
use crate::item_tree::items::own_methods;
use crate::ty::Ty;
use crate::ty::relate::erase;
use crate::ty::subst::Substitution;
use crate::ty::test::mentions_param;

/// A call in device code of what the bound of a type parameter promises.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Promise {
    /// The type of the receiver.
    pub of: Ty,
    /// What is promised.
    pub what: Promised,
    /// The arguments of the interface; for a function alone its type.
    pub class_args: Vec<Ty>,
    /// Those of the method itself.
    pub type_args: Vec<Ty>,
    /// The formals that are given rails whose elements must stay as they are.
    pub kept: Vec<usize>,
}

/// What a bound can promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promised {
    /// A method of an interface.
    Method(MethodId),
    /// A call as of a function.
    Function,
}

/// What code asks of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Demand {
    /// Values of it lie in the memory of a device.
    Held(Ty),
    /// A thread calls what its bound promises.
    Kept(Promise),
}

impl Demand {
    /// The same for a choice of type parameters.
    pub fn apply(&self, facts: &Facts, types: &Substitution) -> Demand {
        let db = facts.db;
        match self {
            Demand::Held(ty) => Demand::Held(erase(db, types.apply(db, *ty))),
            Demand::Kept(promise) => Demand::Kept(Promise {
                of: erase(db, types.apply(db, promise.of)),
                class_args: types.apply_all(db, &promise.class_args),
                type_args: types.apply_all(db, &promise.type_args),
                ..promise.clone()
            }),
        }
    }

    /// Whether it depends on a choice that is still to be made.
    pub fn is_open(&self, facts: &Facts) -> bool {
        match self {
            Demand::Held(ty) | Demand::Kept(Promise { of: ty, .. }) => mentions_param(facts.db, *ty),
        }
    }
}

/// Why a type does not have what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// A device cannot hold it.
    NotHeld(Ty),
    /// Its method is not made for devices.
    NotMade(Ty, MethodId),
    /// Its method breaks a rule: in which function, and how.
    Broken(MethodId, Violation),
    /// Its method is about the threads around it.
    OfThreads(MethodId),
    /// Its method sets elements of a rail that it has to leave alone.
    Writes(MethodId),
    /// Its method comes back to itself.
    Recursive(MethodId),
}

impl Facts<'_> {
    /// The first misfit among demands, each with the method that makes it; and among those of the methods that keep what is promised. Each is
    /// judged once: types that are made of others ask the same of them in many ways.
    pub fn misfit(&self, demands: impl Iterator<Item = (Demand, MethodId)>) -> Option<(Misfit, MethodId)> {
        /// As many as no sensible program reaches.
        const MOST: usize = 1000;
        let mut seen = FxHashSet::default();
        let mut open: VecDeque<(Demand, MethodId)> = demands.collect();
        while let Some((demand, by)) = open.pop_front() {
            if demand.is_open(self) || seen.len() >= MOST || !seen.insert(demand.clone()) {
                continue;
            }
            match &demand {
                Demand::Held(ty) => {
                    if !matches!(self.shape(*ty), Shape::Plain | Shape::Unknown) {
                        return Some((Misfit::NotHeld(*ty), by));
                    }
                }
                Demand::Kept(promise) => {
                    for keeper in self.keepers(promise) {
                        if let Some(misfit) = self.unfit_keeper(promise, &keeper) {
                            return Some((misfit, by));
                        }
                        open.extend(self.asked_for(&keeper));
                    }
                }
            }
        }
        None
    }

    /// What a thread that calls a function for those types asks of them.
    fn asked_for(&self, instance: &Instance) -> Vec<(Demand, MethodId)> {
        if outgrown(self.db, &instance.class_args) {
            return Vec::new();
        }
        let types = instance.types(self.db);
        let asked = summary(self.db, instance.method, Side::Device).iter();
        asked.map(|(demand, by)| (demand.apply(self, &types), *by)).collect()
    }

    /// The methods by which a type keeps a promise: of a function more than one if it is several functions.
    fn keepers(&self, promise: &Promise) -> Vec<Instance> {
        let Some((class, args)) = promise.of.as_class(self.db) else { return Vec::new() };
        if self.class_kind(class) != ClassKind::Struct {
            return Vec::new();
        }
        let methods = match promise.what {
            Promised::Method(method) => self.implementing(class, args, method, &promise.class_args),
            Promised::Function => {
                let types = Substitution::class(self.db, class, args);
                let wanted = promise.class_args.first();
                wanted.map_or_else(Vec::new, |wanted| functions_of(self.db, class, &types, *wanted))
            }
        };
        let instance =
            |method| Instance { method, class_args: args.to_vec(), type_args: promise.type_args.clone() };
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

    fn unfit_keeper(&self, promise: &Promise, keeper: &Instance) -> Option<Misfit> {
        let method = keeper.method;
        match self.callable(method) {
            Callable::Builtin => return None,
            Callable::Function => {}
            _ => return Some(Misfit::NotMade(promise.of, method)),
        }
        let codes = reached(self.db, method);
        if codes.iter().any(|(_, code)| code.broken) {
            return None;
        }
        if let Some((at, first)) = codes.iter().find_map(|(at, code)| Some((*at, code.first_error()?))) {
            return Some(Misfit::Broken(at, first.clone()));
        }
        if is_of_threads(self.db, method) {
            return Some(Misfit::OfThreads(method));
        }
        if self.sets_kept(promise, &codes, method) {
            return Some(Misfit::Writes(method));
        }
        self.comes_back(keeper).then_some(Misfit::Recursive(method))
    }

    fn sets_kept(
        &self,
        promise: &Promise,
        codes: &[(MethodId, Arc<FunctionCode>)],
        method: MethodId,
    ) -> bool {
        let written = super::function::written_formals(codes.iter().map(|(method, code)| (*method, &**code)));
        promise.kept.iter().any(|formal| written.contains(&(method, *formal)))
    }

    /// Whether a call of a function for those types leads to itself.
    fn comes_back(&self, start: &Instance) -> bool {
        /// As many as no sensible program reaches.
        const MOST: usize = 1000;
        let mut seen = FxHashSet::default();
        let mut open = self.callees(start);
        while let Some(instance) = open.pop() {
            if instance == *start {
                return true;
            }
            if seen.len() < MOST && !instance.is_outgrown(self.db) && seen.insert(instance.clone()) {
                open.extend(self.callees(&instance));
            }
        }
        false
    }

    /// What a function calls, for those types.
    fn callees(&self, instance: &Instance) -> Vec<Instance> {
        let types = instance.types(self.db);
        let demands = demands(self.db, instance.method, Side::Device);
        let mut all: Vec<Instance> = demands.calls.iter().map(|(_, it)| it.apply(self.db, &types)).collect();
        for demand in &demands.own {
            if let Demand::Kept(promise) = demand.apply(self, &types) {
                all.extend(self.keepers(&promise));
            }
        }
        all
    }
}
