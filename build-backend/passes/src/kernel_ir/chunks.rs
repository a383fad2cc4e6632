//! Chunks: vectors of threads that execute a fissioned region together.

use super::nodes::Branch;
use super::schedule::UniformLoad;
use crate::analysis::constants::constant_value;
use apg_mir::*;

/// Threads of a chunk: 32-bit lanes of the widest vectors.
pub const CHUNK_THREADS: i64 = 16;

/// Number of threads of a chunk; `None` if the fastest axis is too short.
pub fn chunk_threads(kernel: &Kernel) -> Option<i64> {
    match kernel.host.threads.last().map(constant_value) {
        Some(Some(extent)) if extent < 4 => None,
        Some(Some(extent)) if extent < CHUNK_THREADS => Some(extent),
        Some(Some(extent)) if extent % CHUNK_THREADS != 0 && extent % (CHUNK_THREADS / 2) == 0 => {
            Some(CHUNK_THREADS / 2)
        }
        // The CPU's own choice is one thread per block.
        Some(None) if kernel.auto_threads.is_some() => None,
        _ => Some(CHUNK_THREADS),
    }
}

/// A region that chunks of threads execute.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// The statements of one thread.
    pub stmts: Vec<Stmt>,
    /// Parts in order.
    pub parts: Vec<ChunkPart>,
    /// Locals with one value for all threads of the chunk.
    pub uniform: Vec<LocalId>,
    /// Locals that are expanded to an array with an element per thread.
    pub expanded: Vec<ExpandedLocal>,
    /// Vectors of threads that make a chunk.
    pub jam: UnrollAndJam,
    /// Each chunk begins at a multiple of its length, and values that are then the same in all of its threads
    /// are taken from the first one.
    pub is_aligned: bool,
}

/// A part of a fissioned region.
#[derive(Clone, Debug)]
pub enum ChunkPart {
    /// Statements for each thread of the chunk.
    Lanes {
        /// The statements.
        stmts: Vec<Stmt>,
        /// Loads in front of them.
        loads: Vec<UniformLoad>,
        /// Expanded locals that they change.
        stores: Vec<LocalId>,
    },
    /// Assignment of a uniform local.
    Uniform(Stmt),
    /// A loop that all threads execute together.
    Loop(ChunkLoop),
    /// A strided loop: the first threads execute an iteration.
    Strided(StridedLoop),
    /// A uniform branch.
    If(Branch<ChunkPart>),
    /// A divergent branch.
    Masked(Branch<ChunkPart>),
}

/// A loop that all threads of a chunk execute together.
#[derive(Clone, Debug)]
pub struct ChunkLoop {
    /// The loop of the kernel's body.
    pub source: StmtId,
    /// The source.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// It is tested after the iteration.
    pub post_tested: bool,
    /// The unroll factor that the program requests.
    pub unroll: Option<u32>,
    /// The body.
    pub body: Vec<ChunkPart>,
    /// What follows the body.
    pub update: Vec<ChunkPart>,
    /// Loads that are transposed in registers.
    pub tiles: Option<StridedLoads>,
}

/// A loop over `counter = start; counter < end; counter += step`, where the counter of a thread is that of
/// the chunk's first thread plus its position in the chunk.
#[derive(Clone, Debug)]
pub struct StridedLoop {
    /// The source.
    pub span: Span,
    /// The counter.
    pub counter: LocalId,
    /// Initial value.
    pub start: Expr,
    /// Upper bound of the counter; the same in all threads of the chunk.
    pub end: Expr,
    /// The bound is included.
    pub inclusive: bool,
    /// Step per iteration, no less than the threads of a chunk.
    pub step: i64,
    /// The body.
    pub body: Vec<ChunkPart>,
    /// If they succeed for all threads of an iteration, its accesses need no check.
    pub checks: Vec<LaneCheck>,
}

/// The check of an index in front of an iteration, after those of the indices that it depends on.
#[derive(Clone, Debug)]
pub struct LaneCheck {
    /// The captured array.
    pub rail: LocalId,
    /// The index.
    pub index: Expr,
    /// The index is the counter, so that those of the first and the last thread are checked.
    pub of_counter: bool,
}

/// A local that is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandedLocal {
    /// The local.
    pub local: LocalId,
    /// The chunk begins with the values of the context array.
    pub is_live_in: bool,
    /// The chunk ends with a store to the context array.
    pub is_live_out: bool,
}

/// How many vectors make a chunk, and on which axis they are adjacent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnrollAndJam {
    /// Number of vectors.
    pub rows: i64,
    /// The axis; 0 is the fastest.
    pub axis: usize,
}

/// A loop with strided loads.
#[derive(Clone, Debug)]
pub struct StridedLoads {
    /// The loop.
    pub count: CountedLoop,
    /// The loads.
    pub rows: Vec<StridedLoad>,
    /// Values of the locals that an iteration assigns and indices depend on.
    pub values: Vec<(LocalId, Expr)>,
}

/// Loads of a captured array whose index grows by one per iteration.
#[derive(Clone, Debug)]
pub struct StridedLoad {
    /// The array.
    pub rail: LocalId,
    /// The index.
    pub index: Expr,
    /// Type of the elements.
    pub ty: Ty,
    /// Indices of the accesses that read the tile.
    pub uses: Vec<ExprId>,
}

/// A loop that counts by one.
#[derive(Clone, Debug)]
pub struct CountedLoop {
    /// The counter.
    pub counter: LocalId,
    /// Its bound.
    pub end: Expr,
    /// How the loop ends.
    pub ends: LoopEnd,
}

/// How a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopEnd {
    /// The counter stays below the bound.
    Below,
    /// The counter reaches the bound at most.
    UpTo,
    /// The counter is compared with the bound for equality at the end of an iteration.
    At,
}

impl UnrollAndJam {
    /// One vector.
    pub const NONE: UnrollAndJam = UnrollAndJam { rows: 1, axis: 1 };
}

impl ExpandedLocal {
    pub(crate) fn new(local: LocalId) -> ExpandedLocal {
        ExpandedLocal { local, is_live_in: true, is_live_out: true }
    }
}
