//! The model: accesses to parts of objects, and the constructs that execute them.

use std::collections::BTreeSet;
use std::sync::Arc;

use apg_symbolic::Affine;

/// An unknown integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// It has one value for all threads and iterations.
    Fixed(u32),
    /// Each execution of an access has its own value: a loop counter, the number of a thread.
    Own(u32),
}

/// A linear combination of unknown integers.
pub type Value = Affine<Symbol>;

/// A condition that holds where an access is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The value is at least zero.
    NonNegative(Value),
    /// The value is zero.
    Zero(Value),
    /// The value is not zero.
    NonZero(Value),
    /// An integer is the element of a constant table with this index.
    Element {
        /// The integer.
        element: Symbol,
        /// The index in the table.
        index: Value,
        /// The elements.
        table: Arc<[i64]>,
    },
}

/// A step from an object to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A member, by its number.
    Field(u32),
    /// An element; `None` is not known.
    Index(Option<Value>),
    /// What the pointer at this place points to.
    Dereference,
}

/// A construct that executes an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Each thread of a team.
    Team {
        /// The number of the region.
        region: u32,
        /// The number of the thread.
        thread: Symbol,
        /// How many barriers the team has passed.
        phase: u32,
        /// Its threads share critical sections and barriers; those of a league of teams do not.
        synchronises: bool,
        /// Counters of sequential loops around it: one iteration makes it.
        around: Vec<Symbol>,
    },
    /// One iteration of a loop whose iterations are divided among the threads of a team.
    Iteration {
        /// The number of the loop.
        region: u32,
        /// Its counters, the outermost first.
        counters: Vec<Symbol>,
        /// Loops of one space are divided in the same way: iterations of one number run on one thread.
        space: Option<u32>,
    },
    /// One of the sections of a region.
    Section {
        /// The number of the region.
        region: u32,
        /// The number of the section.
        number: u32,
    },
    /// One thread of the team, whichever comes first.
    Single {
        /// The number of the region.
        region: u32,
    },
    /// The first thread of the team.
    Master,
    /// One lane of a loop that is executed by vector instructions.
    Lane {
        /// The number of the loop.
        region: u32,
        /// Its counter.
        counter: Symbol,
        /// Iterations that are this far apart are not concurrent.
        safe_distance: Option<i64>,
        /// Counters of sequential loops around it: one iteration runs it.
        around: Vec<Symbol>,
    },
    /// A task, by its number in the list of tasks.
    Task(u32),
    /// One of the tasks of a loop that is divided into tasks, and that waits for them.
    Taskloop {
        /// The number of the loop.
        region: u32,
        /// Its counters, the outermost first.
        counters: Vec<Symbol>,
    },
}

impl Step {
    /// The integers of which each execution of the step has its own.
    pub fn symbols(&self) -> &[Symbol] {
        match self {
            Step::Team { thread, .. } => std::slice::from_ref(thread),
            Step::Iteration { counters, .. } | Step::Taskloop { counters, .. } => counters,
            Step::Lane { counter, .. } => std::slice::from_ref(counter),
            Step::Section { .. } | Step::Single { .. } | Step::Master | Step::Task(_) => &[],
        }
    }
}

/// A load or store of a part of an object. `S` names its place in the source.
#[derive(Clone, Debug)]
pub struct Access<S> {
    /// The object.
    pub object: u32,
    /// How many leading steps of the path have one instance of the object: it is made inside of them.
    pub depth: usize,
    /// The part of the object.
    pub selectors: Vec<Selector>,
    /// Whether it stores.
    pub is_write: bool,
    /// It is indivisible.
    pub is_atomic: bool,
    /// The constructs that execute it, the outermost first.
    pub path: Arc<Vec<Step>>,
    /// Critical sections and locks around it.
    pub locks: Arc<BTreeSet<u32>>,
    /// Conditions under which it is executed.
    pub constraints: Arc<Vec<Constraint>>,
    /// The position in the sequential order of the program.
    pub time: u32,
    /// Its place in the source.
    pub site: S,
}
