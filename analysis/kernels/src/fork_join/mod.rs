//! Fork-join programs as rules about data races see them: accesses to shared objects, each with the chain of
//! parallel constructs that executes it (the offset-span labels of Mellor-Crummey, Supercomputing 1991,
//! extended by tasks).
//!
//! A front end lowers the regions of a program into [`Access`]es; [`race::find_races`] finds pairs that are
//! concurrent ([`order`]) and touch one element for certain ([`overlap`]).

mod handover;
pub mod model;
pub mod order;
pub mod overlap;
pub mod race;
mod table;
pub mod task;

pub use self::handover::LockEvent;
pub use self::model::{Access, Constraint, Selector, Step, Symbol, Value};
pub use self::race::{Race, find_races};
pub use self::task::{Dependence, DependenceKind, Task};
