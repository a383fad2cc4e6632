//! Custom serialization (`x10.io.CustomSerialization`): in place of an instance a rail of what its
//! `serialize` wrote is sent, from which its constructor makes the instance again.
//!
//! The types' code allocates, waits and raises exceptions, so that it never runs in the middle of a graph. A
//! sender tries to write the graph; learns which values are missing ([`super::write::graph`]); saves those
//! and tries again, until none is missing. A receiver reads the whole graph, with such objects still zero,
//! and then runs their constructors, each after those of the objects that it refers to ([`Restored::order`]).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::heap::Handle;
use crate::layout::{Object, Type};
use crate::serialize::visit;
use crate::serialize::visit::Slot;

/// A value with custom serialization: an object, or a struct inside one.
#[derive(Clone, Copy, Debug)]
pub struct CustomValue {
    /// Its address.
    pub at: *mut u8,
    /// Its type.
    pub ty: &'static Type,
    /// The object that it is, or that contains it.
    pub owner: *mut Object,
}

/// Saved rails, by the addresses of their values, which their owners keep alive.
pub type Saved = FxHashMap<*mut u8, Handle>;

/// A graph that was read, whose constructors have not run.
#[derive(Debug)]
pub struct Restored {
    /// The root.
    pub root: *mut Object,
    /// Values that are still zero, with the rails that were sent for them; or values whose transient fields
    /// are to be set, with null.
    pub customs: Vec<(CustomValue, *mut Object)>,
}

/// A step of the walk.
enum Step {
    Enter(*mut Object),
    /// All that it refers to has been visited.
    Leave(usize),
}

impl Restored {
    /// The order in which the constructors run, as indices: a depth-first post-order, referenced objects
    /// first. The order within a cycle is arbitrary.
    ///
    /// # Safety
    /// The graph is as it was read, and nothing has been collected since.
    pub unsafe fn order(&self) -> Vec<usize> {
        // A struct may start with another one, at the same address.
        let key = |at: *mut u8, ty: &Type| (at, std::ptr::from_ref(ty));
        let by_address: FxHashMap<(*mut u8, *const Type), usize> = self
            .customs
            .iter()
            .enumerate()
            .map(|(index, (value, _))| (key(value.at, value.ty), index))
            .collect();
        let mut order = Vec::new();
        let mut seen: FxHashSet<*mut Object> = FxHashSet::default();
        let mut steps = vec![Step::Enter(self.root)];
        while let Some(step) = steps.pop() {
            let object = match step {
                Step::Leave(index) => {
                    order.push(index);
                    continue;
                }
                Step::Enter(object) if object.is_null() || !seen.insert(object) => continue,
                Step::Enter(object) => object,
            };
            let custom = |at: *mut u8, ty: &Type, steps: &mut Vec<Step>| {
                let index = by_address.get(&key(at, ty)).copied();
                steps.extend(index.map(Step::Leave));
                steps.extend(index.map(|index| Step::Enter(self.customs[index].1)));
            };
            // SAFETY: an object of the graph.
            unsafe {
                let ty: &'static Type = &*(*object).ty;
                if ty.is_sent_whole() {
                    custom(object.cast(), ty, &mut steps);
                    continue;
                }
                let Ok(()) = visit::visit::<std::convert::Infallible>(
                    object,
                    ty,
                    visit::length_of(object, ty),
                    &mut |slot| {
                        match slot {
                            Slot::Reference(at, _) => steps.push(Step::Enter(at.read())),
                            Slot::Custom(at, ty) | Slot::Restored(at, ty) => custom(at, ty, &mut steps),
                            Slot::Plain(..) | Slot::Transient(..) => {}
                        }
                        Ok(())
                    },
                );
            }
        }
        order
    }
}
