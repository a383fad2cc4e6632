//! What code with type parameters asks of the types that they stand for, and whether a type has it. The code of a kernel is made for each
//! choice of them, so that a method which an interface promises is a known one there.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::facts::{Callable, Facts, Shape};
use super::function::{FunctionCode, is_of_threads, reached};
use super::instances::{Instance, demands, summary};
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
    /// The arguments of the interface.
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
    /// A call as of a function with so many arguments.
    Function(usize),
}

/// What code asks of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Demand {
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
pub(super) enum Misfit {
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
    /// What is wrong with a demand on a known type.
    pub fn misfit(&self, demand: &Demand) -> Option<Misfit> {
        self.misfit_within(demand, 0)
    }

    /// The same, `depth` promises deep: what keeps one may rely on others.
    fn misfit_within(&self, demand: &Demand, depth: u32) -> Option<Misfit> {
        /// Deeper than the types of any sensible program.
        const DEEPEST: u32 = 32;
        match demand {
            _ if depth > DEEPEST => None,
            Demand::Held(ty) => match self.shape(*ty) {
                Shape::Plain | Shape::Unknown => None,
                _ => Some(Misfit::NotHeld(*ty)),
            },
            Demand::Kept(promise) => {
                let found = self.keepers(promise);
                found.iter().find_map(|it| self.unfit_keeper(promise, it, depth))
            }
        }
    }

    /// The methods by which a type keeps a promise: of a function more than one if it is several functions.
    fn keepers(&self, promise: &Promise) -> Vec<Instance> {
        let Some((class, args)) = promise.of.as_class(self.db) else { return Vec::new() };
        if self.class_kind(class) != ClassKind::Struct {
            return Vec::new();
        }
        let methods = match promise.what {
            Promised::Method(method) => self.implementing(class, args, method, &promise.class_args),
            Promised::Function(count) => functions_of(self.db, class, count),
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

    fn unfit_keeper(&self, promise: &Promise, keeper: &Instance, depth: u32) -> Option<Misfit> {
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
        if self.comes_back(keeper) {
            return Some(Misfit::Recursive(method));
        }
        let types = keeper.types(self.db);
        let asked = summary(self.db, method).iter().map(|(demand, _)| demand.apply(self, &types));
        asked.filter(|it| !it.is_open(self)).find_map(|it| self.misfit_within(&it, depth + 1))
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
            if seen.len() < MOST && seen.insert(instance.clone()) {
                open.extend(self.callees(&instance));
            }
        }
        false
    }

    /// What a function calls, for those types.
    fn callees(&self, instance: &Instance) -> Vec<Instance> {
        let types = instance.types(self.db);
        let demands = demands(self.db, instance.method);
        let mut all: Vec<Instance> = demands.calls.iter().map(|it| it.apply(self.db, &types)).collect();
        for demand in &demands.own {
            if let Demand::Kept(promise) = demand.apply(self, &types) {
                all.extend(self.keepers(&promise));
            }
        }
        all
    }
}
