//! Prefetches of what later iterations of a loop access.

use apg_mir::*;

/// Prefetches of what later iterations of a loop access.
#[derive(Clone, Debug)]
pub struct PrefetchPlan {
    /// The basic induction variables.
    pub steps: Vec<InductionStep>,
    /// Block-uniform locals that the body computes from them, in dependence order.
    pub recomputed: Vec<(LocalId, Expr)>,
    /// The accesses.
    pub candidates: Vec<PrefetchCandidate>,
    /// Estimated number of memory accesses of a thread in an iteration.
    pub accesses: usize,
    /// Threads of a row whose elements share a cache line.
    pub line_threads: i64,
    /// Rows are prefetched between those of a region; otherwise all at the begin of an iteration.
    pub between_rows: bool,
}

/// A memory access of a later iteration.
#[derive(Clone, Debug)]
pub enum PrefetchCandidate {
    /// An element of a captured array.
    Element {
        /// The array.
        rail: LocalId,
        /// The index.
        index: Expr,
        /// Stride per iteration in elements, if the compiler knows it.
        per_iteration: Option<i64>,
    },
    /// Accesses of both branches of a condition.
    If(Expr, Vec<PrefetchCandidate>, Vec<PrefetchCandidate>),
}

/// A basic induction variable: each iteration adds a loop-invariant, block-uniform value.
#[derive(Clone, Debug)]
pub struct InductionStep {
    /// The variable.
    pub local: LocalId,
    /// What each iteration adds.
    pub by: Expr,
    /// It is subtracted.
    pub minus: bool,
    /// The sum of the steps is in a variable of its own, the offset of a rematerialised local.
    pub is_offset: bool,
}
