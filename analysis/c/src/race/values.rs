//! Objects and symbolic values (symbolic evaluation: Cheatham, Holloway and Townley, IEEE TSE 1979).

use std::rc::Rc;

use apg_kernels::fork_join::{self, Selector, Symbol};
use rustc_hash::FxHashMap;

use super::Lowering;
use crate::hir::{Type, VariableId};

/// The number of an object.
pub(super) type ObjectId = u32;

/// An object: the instances of a variable, or memory from an allocation.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// The variable.
    pub(super) variable: Option<VariableId>,
    /// How many steps of the path are around it: each execution of them has an instance.
    pub(super) depth: usize,
    /// Its type.
    pub(super) ty: Type,
}

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) object: ObjectId,
    pub(super) selectors: Vec<Selector>,
}

/// A value that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An integer.
    Integer(fork_join::Value),
    /// A pointer to a part of an object.
    Pointer(Place),
}

/// What a lock is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LockKey {
    /// A `critical` construct with this name.
    Critical(String),
    /// An object of a lock type.
    Lock(Place),
    /// The `ordered` regions of a loop.
    Ordered(u32),
}

/// Known values of scalar objects. A copy, one for each way through the program, shares them.
#[derive(Clone, Debug, Default)]
pub(super) struct Values(FxHashMap<ObjectId, Rc<Value>>);

impl Values {
    pub(super) fn get(&self, object: ObjectId) -> Option<&Rc<Value>> {
        self.0.get(&object)
    }

    pub(super) fn insert(&mut self, object: ObjectId, value: impl Into<Rc<Value>>) {
        self.0.insert(object, value.into());
    }

    pub(super) fn remove(&mut self, object: ObjectId) {
        self.0.remove(&object);
    }

    /// The objects with a value here or there.
    pub(super) fn objects(&self, there: &Values) -> Vec<ObjectId> {
        self.0.keys().chain(there.0.keys()).copied().collect()
    }
}

impl Value {
    pub(super) fn integer(value: i64) -> Value {
        Value::Integer(fork_join::Value::from_constant(value))
    }

    pub(super) fn as_integer(&self) -> Option<&fork_join::Value> {
        match self {
            Value::Integer(it) => Some(it),
            Value::Pointer(_) => None,
        }
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        self.as_integer()?.as_constant().copied()
    }
}

impl Place {
    pub(super) fn whole(object: ObjectId) -> Place {
        Place { object, selectors: Vec::new() }
    }

    pub(super) fn with(mut self, selector: Selector) -> Place {
        self.selectors.push(selector);
        self
    }

    /// The place that is `by` elements further; not known without `by`.
    pub(super) fn moved(mut self, by: Option<&fork_join::Value>, is_backward: bool) -> Place {
        match self.selectors.last_mut() {
            Some(Selector::Index(index)) => {
                let sum = index.as_ref().zip(by).and_then(|(index, by)| match is_backward {
                    true => index.checked_sub(by),
                    false => index.checked_add(by),
                });
                *index = sum;
            }
            _ if by.and_then(|it| it.as_constant().copied()) == Some(0) => {}
            _ => self.selectors.push(Selector::Index(None)),
        }
        self
    }

    /// The integers of single executions that it depends on.
    pub(super) fn has_own_symbols(&self) -> bool {
        self.selectors.iter().any(|it| match it {
            Selector::Index(Some(index)) => index.terms().any(|it| matches!(it.0, Symbol::Own(_))),
            Selector::Index(None) => true,
            Selector::Field(_) | Selector::Dereference => false,
        })
    }
}

impl Lowering<'_> {
    pub(super) fn add_object(&mut self, variable: Option<VariableId>, ty: Type, depth: usize) -> ObjectId {
        self.objects.push(Object { variable, depth, ty });
        (self.objects.len() - 1) as ObjectId
    }

    /// A new object of a variable, made at this place of the path.
    pub(super) fn make_object(&mut self, variable: VariableId) -> ObjectId {
        let ty = self.program.variable(variable).ty.clone();
        let object = self.add_object(Some(variable), ty, self.path.len());
        self.scope.insert(variable, object);
        object
    }

    /// The object that a variable names here.
    pub(super) fn object(&mut self, variable: VariableId) -> ObjectId {
        if let Some(known) = self.scope.get(&variable) {
            return *known;
        }
        let declared = self.program.variable(variable);
        if self.facts.threadprivate.contains(&variable)
            && let Some(team) = self.innermost_team()
            && let fork_join::Step::Team { region, .. } = self.path[team]
        {
            if let Some(known) = self.thread_objects.get(&(variable, region)) {
                return *known;
            }
            let object = self.add_object(Some(variable), declared.ty.clone(), team + 1);
            self.thread_objects.insert((variable, region), object);
            return object;
        }
        if let Some(known) = self.globals.get(&variable) {
            return *known;
        }
        let object = self.add_object(Some(variable), declared.ty.clone(), 0);
        self.globals.insert(variable, object);
        object
    }

    /// Whether threads that execute this place have one instance of an object.
    pub(super) fn is_shared(&self, object: ObjectId) -> bool {
        self.objects[object as usize].depth < self.path.len()
    }

    /// The value of a scalar object, if it is known; outside of regions each unknown one gets a name.
    pub(super) fn value_of(&mut self, object: ObjectId) -> Option<Value> {
        let Object { variable, depth, .. } = self.objects[object as usize];
        let is_written = variable.is_none_or(|it| self.written.contains(&it));
        if self.is_parallel() && depth < self.path.len() && is_written && self.is_shared_by_threads(depth) {
            return None;
        }
        if let Some(known) = self.values.get(object) {
            return Some((**known).clone());
        }
        // A private object without a known value differs from thread to thread.
        if depth > 0 {
            return None;
        }
        let value = match self.objects[object as usize].ty {
            Type::Integer { .. } | Type::Bool => {
                let symbol = self.fresh_symbol(Symbol::Fixed);
                Value::Integer(fork_join::Value::symbol(symbol))
            }
            Type::Pointer(_) => {
                let zero = Selector::Index(Some(fork_join::Value::from_constant(0)));
                Value::Pointer(Place::whole(object).with(Selector::Dereference).with(zero))
            }
            _ => return None,
        };
        self.values.insert(object, value.clone());
        Some(value)
    }

    /// Whether a step below this depth lets several threads reach an object.
    fn is_shared_by_threads(&self, depth: usize) -> bool {
        self.path[depth..].iter().any(|it| {
            !matches!(
                it,
                fork_join::Step::Single { .. } | fork_join::Step::Master | fork_join::Step::Section { .. }
            )
        })
    }

    /// Sets the value of a place.
    pub(super) fn set_value(&mut self, place: &Place, value: Option<Value>) {
        if !place.selectors.is_empty() {
            return;
        }
        match value {
            Some(value) => self.values.insert(place.object, value),
            None => self.forget(place.object),
        }
    }

    /// The value of an object is not known any more.
    pub(super) fn forget(&mut self, object: ObjectId) {
        self.values.remove(object);
        // In serial code a later value is a new unknown one, and a pointer points elsewhere.
        if let Type::Pointer(_) = self.objects[object as usize].ty
            && self.objects[object as usize].depth == 0
            && !self.is_parallel()
        {
            let variable = self.objects[object as usize].variable;
            let ty = self.objects[object as usize].ty.clone();
            let other = self.add_object(variable, ty, 0);
            let zero = Selector::Index(Some(fork_join::Value::from_constant(0)));
            let place = Place::whole(other).with(Selector::Dereference).with(zero);
            self.values.insert(object, Value::Pointer(place));
        }
    }
}
