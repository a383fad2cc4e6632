//! Types that say themselves what is sent of them (`x10.io.CustomSerialization`): in place of an instance
//! goes a rail of what its `serialize` wrote, and its constructor makes it anew from that.
//!
//! Their code allocates, waits, raises exceptions, so that it never runs in the middle of a graph. A sender
//! tries to write the graph; is told what is missing ([`super::write::graph`]); has that saved and tries
//! again, until nothing is missing. A receiver reads the whole graph, with such objects still zero, and then
//! runs their constructors, each after those that it sees ([`Restored::order`]).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::heap::Handle;
use crate::layout::{Object, Type};
use crate::serialize::visit;
use crate::serialize::visit::Slot;

/// Where something is that says itself what is sent: an object, or a struct inside one.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its address.
    pub at: *mut u8,
    /// What it is.
    pub ty: &'static Type,
    /// The object that it is, or is inside of.
    pub owner: *mut Object,
}

/// What has been saved: rails by the addresses of what they stand for, which is kept alive by its owner.
pub type Saved = FxHashMap<*mut u8, Handle>;

/// A graph that was read, but for the constructors that are still to run.
#[derive(Debug)]
pub struct Restored {
    /// The root.
    pub root: *mut Object,
    /// What is still zero, and the rail that was sent for it; or what has transient fields to be set, and
    /// null.
    pub customs: Vec<(Place, *mut Object)>,
}

/// A step of the walk.
enum Step {
    Enter(*mut Object),
    /// All that it sees is done.
    Leave(usize),
}

impl Restored {
    /// The order in which the constructors run, as indices: first those whose objects the others see. In a
    /// cycle somebody has to be the first.
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
            .map(|(index, (place, _))| (key(place.at, place.ty), index))
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
