//! The nodes of a region tree, and the storage classes of locals.

use super::grid_stride::GridStrideLoop;
use apg_mir::*;

/// A node of the region tree.
pub enum RegionNode<'a> {
    /// A parallel region: statements without a barrier, for every thread.
    Parallel(Vec<&'a Stmt>),
    /// Assignment of a uniform local, once per block.
    Uniform(&'a Stmt),
    /// Assignment of a rematerialised local with an offset: its initial value or a uniform step.
    Offset(&'a Stmt),
    /// A collective operation of a warp or block.
    Collective(&'a Stmt),
    /// A uniform jump.
    Jump(&'a Stmt),
    /// A grid-stride loop, whose iterations all threads execute together.
    GridStride(GridStrideLoop<'a>),
    /// A warp region: each warp executes it by itself.
    Warps(Vec<RegionNode<'a>>),
    /// A uniform branch.
    If(&'a Stmt, Vec<RegionNode<'a>>, Vec<RegionNode<'a>>),
    /// A loop that all threads execute together: body and update.
    Loop(&'a Stmt, Vec<RegionNode<'a>>, Vec<RegionNode<'a>>),
    /// A labelled block.
    Labeled(LabelId, Vec<RegionNode<'a>>),
    /// A uniform switch.
    Switch(&'a Stmt, Vec<Vec<RegionNode<'a>>>),
}

/// Storage class of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Captures, indices and shared rails: declared elsewhere.
    Predefined,
    /// One value for all threads of a block.
    Uniform,
    /// A variable of one parallel region.
    Register,
    /// An array with an element for each thread.
    ContextArray,
    /// Recomputed where it is used.
    Rematerialized,
    /// Not used in the body.
    Unused,
}
