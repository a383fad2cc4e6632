//! The kernel model: blocks of threads that run one program (the SPMD model of Darema, EuroPVM/MPI 2001),
//! reduced to the statements that concern other threads.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expression::{Definitions, Expr, Test};

/// One dimension of blocks or threads: `variable` counts from zero to `last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis<V> {
    /// The index.
    pub variable: V,
    /// The highest index, inclusive.
    pub last: Expr<V>,
}

/// A kernel. `V` names variables and arrays, `S` the sites of accesses in the source.
#[derive(Clone, Debug)]
pub struct Kernel<V, S> {
    /// The dimensions of the grid whose index has a name.
    pub blocks: Vec<Axis<V>>,
    /// The dimensions of a block, outermost (slowest) first.
    pub threads: Vec<Axis<V>>,
    /// Captured variables: all threads have the same values of them.
    pub captured: FxHashSet<V>,
    /// Variables that the launch chooses, as an automatic number of threads.
    pub chosen: FxHashSet<V>,
    /// Definitions of captured variables, in the order of the source.
    pub captured_values: Vec<(V, Expr<V>)>,
    /// Integer constants of the kernel, which are sampled as sizes of blocks.
    pub constants: Vec<i64>,
    /// Integers that define the variables of the kernel that are assigned once.
    pub integers: FxHashMap<V, Rc<Expr<V>>>,
    /// Truth values that define such variables.
    pub tests: FxHashMap<V, Rc<Test<V>>>,
    /// The statements of a thread, by statements of the source.
    pub body: Vec<Vec<Stmt<V, S>>>,
}

impl<V: crate::Variable, S> Definitions<V> for Kernel<V, S> {
    fn integer(&self, variable: V) -> Option<Rc<Expr<V>>> {
        self.integers.get(&variable).cloned()
    }

    fn test(&self, variable: V) -> Option<Rc<Test<V>>> {
        self.tests.get(&variable).cloned()
    }
}

/// An access to an element of an array that the threads of a block share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access<V, S> {
    /// The array.
    pub array: V,
    /// The number of the element.
    pub index: Expr<V>,
    /// Where the source has the access.
    pub site: S,
    /// Whether it stores.
    pub is_write: bool,
}

/// What a thread does that concerns other threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt<V, S> {
    /// A load or store.
    Access(Access<V, S>),
    /// All threads of the block wait for each other.
    Barrier,
    /// A variable gets a value.
    Assign(V, Expr<V>),
    /// Statements that an unknown set of threads runs.
    Sometimes(Vec<Stmt<V, S>>),
    /// The threads for which a condition holds run the first statements, others the second ones.
    Branch(Guard<V>, Vec<Stmt<V, S>>, Option<Vec<Stmt<V, S>>>),
    /// A loop over a range.
    Range(RangeLoop<V, S>),
    /// A loop with a condition.
    While(WhileLoop<V, S>),
}

/// A condition of a branch or loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard<V> {
    /// The condition.
    pub test: Test<V>,
    /// The conditions that it is the conjunction of.
    pub conjuncts: Vec<Conjunct<V>>,
    /// Whether it may change between iterations of a loop around it.
    pub is_loop_variant: bool,
}

/// A part of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conjunct<V> {
    /// The part.
    pub test: Test<V>,
    /// Whether it is known to be the same for all threads of a block.
    pub is_uniform: bool,
}

/// `for (variable in low..high)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeLoop<V, S> {
    /// The loop variable.
    pub variable: V,
    /// The first and the last value.
    pub bounds: Option<(Expr<V>, Expr<V>)>,
    /// Whether an iteration may synchronise threads.
    pub may_synchronise: bool,
    /// One iteration.
    pub body: Vec<Stmt<V, S>>,
}

/// `for (; guard; update) body`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhileLoop<V, S> {
    /// The condition; `None` always holds.
    pub guard: Option<Guard<V>>,
    /// What evaluation of the condition does.
    pub condition: Vec<Stmt<V, S>>,
    /// One iteration.
    pub body: Vec<Stmt<V, S>>,
    /// What follows each iteration.
    pub update: Vec<Stmt<V, S>>,
}

/// Calls `visit` for the variables that statements assign.
pub fn for_each_assigned<V: Copy, S>(stmts: &[Stmt<V, S>], visit: &mut dyn FnMut(V)) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign(variable, _) => visit(*variable),
            Stmt::Sometimes(body) => for_each_assigned(body, visit),
            Stmt::Branch(_, then, otherwise) => {
                for_each_assigned(then, visit);
                otherwise.iter().for_each(|it| for_each_assigned(it, visit));
            }
            Stmt::Range(it) => for_each_assigned(&it.body, visit),
            Stmt::While(it) => {
                [&it.condition, &it.body, &it.update].into_iter().for_each(|it| for_each_assigned(it, visit));
            }
            Stmt::Access(_) | Stmt::Barrier => {}
        }
    }
}
