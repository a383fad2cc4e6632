//! Memory of blocks: the place and the initialisation of shared arrays, and private sums.

use apg_mir::*;

/// Sums that a CPU adds to a captured array once for the blocks that it executes one after the other, in
/// launches whose conditions hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateSums {
    /// The array.
    pub rail: LocalId,
    /// Type of its elements.
    pub element: Ty,
    /// Number of sums: those of the array's first elements.
    pub length: i64,
    /// Indices of the additions.
    pub uses: Vec<ExprId>,
}

/// The place and the initialisation of shared arrays.
#[derive(Clone, Debug, Default)]
pub struct SharedPlan {
    /// Arrays in the order of the kernel.
    pub rails: Vec<SharedArrayPlan>,
    /// On a device, the threads synchronise after the initialisation.
    pub barrier_after: bool,
}

/// The place and the initialisation of a shared array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedArrayPlan {
    /// The array.
    pub local: LocalId,
    /// Its length, if it is a variable of the block function on a CPU: the C++ compiler then sees that it is
    /// dead after the last unrolled iteration.
    pub block_variable: Option<i64>,
    /// All elements are overwritten before one is read: a CPU does not initialise it.
    pub is_overwritten: bool,
    /// On a device, the threads synchronise before its initialisation.
    pub barrier_before: bool,
    /// The length, if it is constant.
    pub length: Option<i64>,
    /// The lengths of all arrays before it are constant, so that its offset in shared memory is.
    pub has_constant_offset: bool,
    /// On a device, the loop that initialises it.
    pub fill: Fill,
}

/// The loop in which the threads of a block initialise a shared array: each thread the elements at its rank,
/// and at multiples of the number of threads from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// The launch knows the length or the number of threads.
    WhileBelowLength,
    /// All threads make the same number of iterations.
    Counted {
        /// Number of iterations.
        trip_count: i64,
        /// Number of threads.
        threads: i64,
        /// The length, if some threads have no element in the last iteration.
        guard: Option<i64>,
    },
}
