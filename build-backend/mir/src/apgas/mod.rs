//! The APGAS dialect: places, activities, clocks, atomic sections, and the entries of their runtime (Saraswat
//! and others, *The Asynchronous Partitioned Global Address Space Model*, 2010).

pub mod entries;
mod statements;

pub use statements::{Clocks, WhenBranch};
