//! The device form of a kernel: the body of a thread, with what the passes decide about its loops and loads.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::ranges::facts::NarrowedExprs;
use apg_mir::*;

/// Decisions about the device form.
#[derive(Clone, Debug, Default)]
pub struct DeviceForm {
    /// Loops with another unroll factor than the program requests.
    pub unroll_factors: FxHashMap<LabelId, UnrollFactor>,
    /// Software-pipelined loops.
    pub pipelined_loops: FxHashMap<LabelId, PipelinedLoop>,
    /// Elements of constant arrays that are loaded in front of the body.
    pub constant_loads: Vec<ConstantLoad>,
    /// Aliases of each capture that is an array.
    pub rails: Vec<RailAliases>,
    /// Captures that are computed from others, in dependence order.
    pub derived_captures: Vec<LocalId>,
    /// Integer arithmetic with 32 bits, in launches whose conditions hold.
    pub narrowed: NarrowedExprs,
    /// Assigned values that are steps of counters, and do not wrap in launches whose conditions hold.
    pub exact_steps: FxHashSet<ExprId>,
    /// The environment is a parameter of the device function, rather than a pointer to it.
    pub has_environment_by_value: bool,
}

/// How a loop is unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnrollFactor {
    /// By a factor.
    Times(u32),
    /// Fully, after the trip count is known. Where it depends on an outer counter, that is after the outer
    /// loop is unrolled. With a number in the pragma, compilers unroll the inner loop at once and leave a
    /// remainder, whose accesses keep private arrays in memory.
    Full,
}

/// A loop whose loads are pipelined.
#[derive(Clone, Debug)]
pub struct PipelinedLoop {
    /// Locals that its update assigns.
    pub counters: Vec<LocalId>,
    /// Its update.
    pub update: Vec<Stmt>,
    /// Elements that every iteration reads.
    pub elements: Vec<PipelinedLoad>,
}

/// An element that is loaded two iterations ahead.
#[derive(Clone, Debug)]
pub struct PipelinedLoad {
    /// The element.
    pub element: Expr,
    /// Indices of the accesses that read it.
    pub uses: Vec<ExprId>,
}

/// An element that is loaded in front of the body.
#[derive(Clone, Debug)]
pub struct ConstantLoad {
    /// The constant array.
    pub rail: LocalId,
    /// Type of the element.
    pub element: Ty,
    /// The index.
    pub index: i64,
    /// Indices of the accesses that it replaces.
    pub uses: Vec<ExprId>,
}

/// What a captured array may share memory with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RailAliases {
    /// Threads may store to it. A global array may overlap others.
    Written,
    /// Threads only read it, and store to nothing that overlaps it.
    ReadOnly,
    /// Threads only read it, and store to nothing that overlaps it if no global arrays overlap.
    ReadOnlyIfApart,
}
