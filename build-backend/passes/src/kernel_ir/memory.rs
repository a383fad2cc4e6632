//! Shared memory: the place and the initialisation of shared rails.

use apg_mir::*;

/// The place and the initialisation of shared rails.
#[derive(Clone, Debug, Default)]
pub struct SharedPlan {
    /// Rails in the order of the kernel.
    pub rails: Vec<SharedRailPlan>,
    /// On a device, the threads synchronise after the initialisation.
    pub barrier_after: bool,
}

/// The place and the initialisation of a shared rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedRailPlan {
    /// The rail.
    pub local: LocalId,
    /// Its length, if it is a variable of the block function on a CPU: the C++ compiler then sees that it is
    /// dead after the last unrolled iteration.
    pub block_variable: Option<i64>,
    /// All elements are overwritten before one is read: a CPU does not initialise it.
    pub is_overwritten: bool,
    /// On a device, the threads synchronise before its initialisation.
    pub barrier_before: bool,
}
