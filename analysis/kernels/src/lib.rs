//! Kernels as rules about threads see them: the accesses, barriers, conditions and loops of one thread, and
//! symbolic values of indices. Analyses of this model find data races for the front end of any language.
//!
//! A front end lowers a kernel or the body of a parallel loop into a [`Kernel`], whose variables and sites
//! are names of its own, and words the results. Nothing here knows a syntax tree or a query system.
//!
//! | module | content | reference |
//! |---|---|---|
//! | [`index`] | affine forms with non-affine terms | Feautrier 1991 |
//! | [`condition`] | conditions on indices | |
//! | [`expression`] | expressions, and their values in a scope | Dragon Book, 8.5 |
//! | [`model`] | threads, blocks and the statements that matter | |
//! | [`block_size`] | the sizes of blocks that are examined | |
//! | [`divergence`] | how values vary over threads | Coutinho and others 2011 |
//! | [`uniformity`] | values and collective operations of all threads | Coutinho and others 2011 |
//! | [`block_race`] | loads of what another block stores | Banerjee 1988 |
//! | [`race`] | accesses without a barrier between them | Adve and Boehm 2010 |
//! | [`conflict`] | two threads that access one element | |
//! | [`write_conflict`] | stores of neighbouring blocks to one element | Allen and Kennedy |
//! | [`fork_join`] | regions, loops and tasks of threads that fork and join | Mellor-Crummey 1991 |
//! | [`iteration`] | iterations that store to different elements | Banerjee 1988 |

pub mod block_race;
pub mod block_size;
pub mod condition;
pub mod conflict;
pub mod divergence;
pub mod expression;
pub mod fork_join;
pub mod index;
pub mod iteration;
pub mod model;
pub mod race;
mod reaching_definitions;
pub mod uniformity;
mod value_ranges;
pub mod write_conflict;

pub use condition::Condition;
pub use expression::{Definitions, Expr, IntegerType, Scope, Spread, Test};
pub use index::{Index, Operator, Term};
pub use model::{Access, AccessKind, Axis, Guard, Kernel, Parameter, Space, Stmt};
pub use uniformity::{Site, Uniformity};

/// A name that a front end gives to a variable.
pub trait Variable: Copy + Ord + std::hash::Hash + std::fmt::Debug {}

impl<T: Copy + Ord + std::hash::Hash + std::fmt::Debug> Variable for T {}

/// A value of each of some variables.
pub type Values<V> = rustc_hash::FxHashMap<V, Index<V>>;

/// First and last value of a variable.
pub type Range = (i64, i64);

/// The number of values of a range; `None` if it does not fit.
pub fn range_len((low, high): Range) -> Option<usize> {
    usize::try_from(high.checked_sub(low)?.checked_add(1)?.max(0)).ok()
}
