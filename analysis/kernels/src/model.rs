//! The kernel model: blocks of threads that run one program (the SPMD model of Darema, EuroPVM/MPI 2001),
//! reduced to the statements that concern other threads.

use std::rc::Rc;

use apg_symbolic::ValueRange;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::expression::{Definitions, Expr, Spread, Test};

/// One dimension of blocks or threads: `variable` counts from zero to `last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis<V, S> {
    /// The index; `None` if the kernel does not name it.
    pub variable: Option<V>,
    /// The highest index, inclusive.
    pub last: Expr<V, S>,
}

/// What a function that threads call knows of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter<V> {
    /// The variable.
    pub variable: V,
    /// Which threads agree on it.
    pub spread: Spread,
    /// A superset of its values.
    pub range: ValueRange,
}

/// A kernel, or a function that the threads of one call. `V` names variables and arrays, `S` sites in the
/// source.
#[derive(Clone, Debug)]
pub struct Kernel<V, S> {
    /// The dimensions of the grid.
    pub blocks: Vec<Axis<V, S>>,
    /// The dimensions of a block, outermost (slowest) first; none in a function.
    pub threads: Vec<Axis<V, S>>,
    /// The parameters of a function.
    pub parameters: Vec<Parameter<V>>,
    /// Captured variables: all threads have the same values of them.
    pub captured: FxHashSet<V>,
    /// Variables that the launch chooses, as an automatic number of threads.
    pub chosen: FxHashSet<V>,
    /// Definitions of captured variables, in the order of the source.
    pub captured_values: Vec<(V, Expr<V, S>)>,
    /// Integer constants of the kernel, which are sampled as sizes of blocks.
    pub constants: Vec<i64>,
    /// Integers that define the variables of the kernel that are assigned once.
    pub integers: FxHashMap<V, Rc<Expr<V, S>>>,
    /// Truth values that define such variables.
    pub tests: FxHashMap<V, Rc<Test<V, S>>>,
    /// The statements of a thread, by statements of the source.
    pub body: Vec<Vec<Stmt<V, S>>>,
}

/// A kernel of one thread without statements.
impl<V, S> Default for Kernel<V, S> {
    fn default() -> Kernel<V, S> {
        Kernel {
            blocks: Vec::new(),
            threads: Vec::new(),
            parameters: Vec::new(),
            captured: FxHashSet::default(),
            chosen: FxHashSet::default(),
            captured_values: Vec::new(),
            constants: Vec::new(),
            integers: FxHashMap::default(),
            tests: FxHashMap::default(),
            body: Vec::new(),
        }
    }
}

impl<V: crate::Variable, S> Definitions<V, S> for Kernel<V, S> {
    fn integer(&self, variable: V) -> Option<Rc<Expr<V, S>>> {
        self.integers.get(&variable).cloned()
    }

    fn test(&self, variable: V) -> Option<Rc<Test<V, S>>> {
        self.tests.get(&variable).cloned()
    }
}

/// The memory that holds an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The memory of the device, which all blocks share.
    Global,
    /// The memory of a block.
    Shared,
    /// The memory of a thread.
    Local,
    /// Memory that kernels only read.
    Constant,
}

/// What an access does to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads it.
    Load,
    /// Writes it.
    Store {
        /// Whether the stored value is computed from that of the element.
        is_update: bool,
    },
    /// Reads and writes it in one step, in an order with all other atomic accesses.
    Atomic,
}

impl AccessKind {
    /// Whether the element may have another value afterwards.
    pub fn is_write(self) -> bool {
        self != AccessKind::Load
    }
}

/// An access to an element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access<V, S> {
    /// The array.
    pub array: V,
    /// The memory of the array.
    pub space: Space,
    /// The number of the element.
    pub index: Expr<V, S>,
    /// Where the source has the access.
    pub site: S,
    /// What it does.
    pub kind: AccessKind,
}

/// The threads that execute a collective operation together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The threads of a warp.
    Warp,
    /// The threads of a block.
    Block,
}

/// What a thread does that concerns other threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt<V, S> {
    /// A load, a store, or an atomic update.
    Access(Access<V, S>),
    /// Something unseen that may synchronise threads, or access any memory.
    Barrier,
    /// A barrier or another collective operation: all threads of a group execute it together.
    Collective(S, Scope),
    /// A call of a function that executes collective operations, with its arguments.
    Call(S, Vec<Expr<V, S>>),
    /// A variable begins to exist in each thread, with a value if it has one.
    Declare(V, Option<Expr<V, S>>),
    /// A variable gets a value.
    Assign(V, Expr<V, S>),
    /// Statements that an unknown set of the threads here runs.
    Sometimes(Vec<Stmt<V, S>>),
    /// The threads for which a condition holds run the first statements, others the second ones.
    Branch(Guard<V, S>, Vec<Stmt<V, S>>, Option<Vec<Stmt<V, S>>>),
    /// A loop over a range.
    Range(RangeLoop<V, S>),
    /// A loop with a condition.
    While(WhileLoop<V, S>),
    /// Statements that a jump can leave.
    Labeled(Vec<Stmt<V, S>>),
    /// Goes to the end of a labelled statement or loop, given by the number of those between.
    Break(usize),
    /// Goes to the end of an iteration, or of the statements of a labelled statement.
    Continue(usize),
    /// Ends the thread, or the function.
    Return,
}

/// A condition of a branch or loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard<V, S> {
    /// The condition.
    pub test: Test<V, S>,
    /// Where the source has it.
    pub site: S,
}

/// `for (variable in low..high)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeLoop<V, S> {
    /// The loop variable.
    pub variable: V,
    /// The first and the last value.
    pub bounds: (Expr<V, S>, Expr<V, S>),
    /// Where the source has the range.
    pub site: S,
    /// Whether an iteration may synchronise threads.
    pub may_synchronise: bool,
    /// One iteration.
    pub body: Vec<Stmt<V, S>>,
}

/// `for (; guard; update) body`, or `do body while (guard)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhileLoop<V, S> {
    /// The condition; `None` always holds.
    pub guard: Option<Guard<V, S>>,
    /// Whether the condition is evaluated before the first iteration.
    pub is_tested_first: bool,
    /// What evaluation of the condition does.
    pub condition: Vec<Stmt<V, S>>,
    /// One iteration.
    pub body: Vec<Stmt<V, S>>,
    /// What follows each iteration.
    pub update: Vec<Stmt<V, S>>,
}

impl<V: crate::Variable, S> Kernel<V, S> {
    /// Whether an axis of the grid or of a block has this index.
    pub fn is_axis(&self, variable: V) -> bool {
        self.blocks.iter().chain(&self.threads).any(|it| it.variable == Some(variable))
    }

    /// Whether a condition may change between iterations of a loop around it: it depends on memory, or on
    /// variables that threads assign.
    pub(crate) fn is_loop_variant(&self, test: &Test<V, S>) -> bool {
        let mut is_fixed = test.is_computed();
        test.for_each_variable(&mut |it| is_fixed &= self.is_axis(it) || self.captured.contains(&it));
        !is_fixed
    }
}

/// Calls `visit` for all statements, outer ones first.
pub fn for_each_stmt<'k, V, S>(stmts: &'k [Stmt<V, S>], visit: &mut dyn FnMut(&'k Stmt<V, S>)) {
    for stmt in stmts {
        visit(stmt);
        match stmt {
            Stmt::Sometimes(body) | Stmt::Labeled(body) => for_each_stmt(body, visit),
            Stmt::Branch(_, then, otherwise) => {
                for_each_stmt(then, visit);
                otherwise.iter().for_each(|it| for_each_stmt(it, visit));
            }
            Stmt::Range(it) => for_each_stmt(&it.body, visit),
            Stmt::While(it) => {
                [&it.condition, &it.body, &it.update].into_iter().for_each(|it| for_each_stmt(it, visit));
            }
            Stmt::Access(_)
            | Stmt::Barrier
            | Stmt::Collective(..)
            | Stmt::Call(..)
            | Stmt::Declare(..)
            | Stmt::Assign(..)
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Return => {}
        }
    }
}

/// Calls `visit` for the variables that statements assign.
pub fn for_each_assigned<V: Copy, S>(stmts: &[Stmt<V, S>], visit: &mut dyn FnMut(V)) {
    for_each_stmt(stmts, &mut |stmt| {
        if let Stmt::Declare(variable, _) | Stmt::Assign(variable, _) = stmt {
            visit(*variable);
        }
    });
}
