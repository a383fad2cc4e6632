//! Which functions of a program call which.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::sources::{Definition, Sources};

/// The functions that functions call, as far as they were requested.
#[derive(Default)]
pub(crate) struct CallGraph {
    callees: RefCell<FxHashMap<Definition, Rc<[Definition]>>>,
    reached: RefCell<FxHashMap<Definition, Rc<FxHashSet<Definition>>>>,
}

impl CallGraph {
    fn callees(&self, sources: &Sources<'_>, function: Definition) -> Rc<[Definition]> {
        if let Some(known) = self.callees.borrow().get(&function) {
            return known.clone();
        }
        let found: Rc<[Definition]> = sources.callees_of(function).into();
        self.callees.borrow_mut().insert(function, found.clone());
        found
    }

    /// Whether calls lead from a function to another one, or back to itself.
    pub(crate) fn reaches(&self, sources: &Sources<'_>, from: Definition, to: Definition) -> bool {
        if let Some(known) = self.reached.borrow().get(&from) {
            return known.contains(&to);
        }
        let mut reached = FxHashSet::default();
        let mut pending = vec![from];
        while let Some(function) = pending.pop() {
            let callees = self.callees(sources, function);
            pending.extend(callees.iter().filter(|it| reached.insert(**it)));
        }
        let is_reached = reached.contains(&to);
        self.reached.borrow_mut().insert(from, Rc::new(reached));
        is_reached
    }
}
