//! Nodes that all threads of a block, or of a warp, execute alike.

use rustc_hash::FxHashSet;

use super::prefetches::PrefetchPlan;
use super::schedule::{Schedule, UniformLoad};
use apg_mir::*;

/// A node that all threads of a block, or of a warp in a warp region, execute alike.
#[derive(Clone, Debug)]
pub enum Node {
    /// All threads of the block synchronise.
    Barrier,
    /// A parallel region.
    Region(Region),
    /// Assignment of a uniform local, once per block.
    Uniform(Stmt),
    /// Assignment of a rematerialised local with an offset: its initial value or a uniform step.
    Offset(Stmt),
    /// A collective operation of a warp or block.
    Collective(Stmt),
    /// A uniform jump.
    Jump(Stmt),
    /// A grid-stride loop, whose iterations all threads execute together.
    GridStride(GridStrideLoop),
    /// A warp region: each warp executes it by itself.
    Warps(Vec<Node>),
    /// A uniform branch.
    If(Branch<Node>),
    /// A loop that all threads execute together.
    Loop(LoopNode),
    /// A loop that is fully unrolled.
    Unrolled(UnrolledLoop),
    /// A labelled block.
    Labeled(LabelId, Vec<Node>),
    /// A uniform switch.
    Switch(SwitchNode),
}

/// A branch and what is executed on both sides.
#[derive(Clone, Debug)]
pub struct Branch<T> {
    /// The source.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// Executed if it holds.
    pub then: Vec<T>,
    /// Executed otherwise.
    pub otherwise: Vec<T>,
}

/// A loop that all threads of a block execute together.
#[derive(Clone, Debug)]
pub struct LoopNode {
    /// The loop of the kernel's body.
    pub source: StmtId,
    /// The source.
    pub span: Span,
    /// Its label.
    pub label: LabelId,
    /// The condition.
    pub condition: Expr,
    /// It is tested after the iteration.
    pub post_tested: bool,
    /// The body.
    pub body: Vec<Node>,
    /// What follows the body; `continue` goes here.
    pub update: Vec<Node>,
    /// Prefetches of what later iterations access.
    pub prefetch: Option<PrefetchPlan>,
}

/// A uniform switch.
#[derive(Clone, Debug)]
pub struct SwitchNode {
    /// The source.
    pub span: Span,
    /// Its label.
    pub label: LabelId,
    /// The value.
    pub value: Expr,
    /// Cases with fall-through; `None` is the default.
    pub cases: Vec<(Vec<Option<i64>>, Vec<Node>)>,
}

/// A parallel region: statements without a barrier, for every thread of a block.
#[derive(Clone, Debug)]
pub struct Region {
    /// Context arrays whose pointers are exchanged before the statements: target and source.
    pub rotations: Vec<(LocalId, LocalId)>,
    /// Prefetches of the enclosing loop are executed between the rows of this region.
    pub prefetches_rows: bool,
    /// How the threads execute the statements.
    pub schedule: Schedule,
}

/// A grid-stride loop.
#[derive(Clone, Debug)]
pub struct GridStrideLoop {
    /// Its label: `continue` ends a thread's iteration.
    pub label: LabelId,
    /// The counter.
    pub index: LocalId,
    /// Initial value; it is smallest in thread 0.
    pub start: Expr,
    /// Upper bound of the counter.
    pub end: Expr,
    /// The bound is included.
    pub inclusive: bool,
    /// Step per iteration.
    pub step: Expr,
    /// How the threads execute an iteration.
    pub schedule: Schedule,
    /// Several iterations are executed together.
    pub jam: Option<JammedIterations>,
    /// Arrays that it reads sequentially.
    pub streams: Vec<Stream>,
}

/// Iterations that are executed together in launches whose conditions hold.
#[derive(Clone, Debug)]
pub struct JammedIterations {
    /// Their number.
    pub count: i64,
    /// Loads in front of them.
    pub loads: Vec<UniformLoad>,
}

/// An array that a grid-stride loop reads at `counter + offset`.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The array.
    pub rail: LocalId,
    /// What is added to the counter.
    pub offset: Option<Expr>,
}

/// A loop that is fully unrolled in launches whose conditions hold.
#[derive(Clone, Debug)]
pub struct UnrolledLoop {
    /// The counter.
    pub counter: LocalId,
    /// The counter's value in each iteration.
    pub values: Vec<i64>,
    /// Its value after the last iteration.
    pub end: i64,
    /// Only threads of a warp synchronise in it: a warp finishes all iterations before the next one begins.
    pub by_warps: bool,
    /// How many of the first lanes of a warp execute each iteration; the results of others are not used.
    pub lanes: Vec<i64>,
    /// Locals in context arrays that have an array of the warp meanwhile.
    pub warp_arrays: Vec<WarpArray>,
    /// An iteration, without the assignment of the counter.
    pub body: Vec<Node>,
    /// The loop for other launches.
    pub rolled: LoopNode,
}

/// A local with an element for each lane of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpArray {
    /// The local.
    pub local: LocalId,
    /// Its value is loaded before the first iteration.
    pub is_live_in: bool,
    /// How many of the first lanes store their value after the last iteration.
    pub lanes_out: i64,
}

impl Region {
    /// A region whose threads run one after the other.
    pub(crate) fn new(stmts: Vec<Stmt>) -> Region {
        Region { rotations: Vec::new(), prefetches_rows: false, schedule: Schedule::Threads(stmts) }
    }

    /// The statements of one thread, without rotations.
    pub fn stmts(&self) -> &[Stmt] {
        self.schedule.stmts()
    }
}

/// Locals whose arrays are exchanged somewhere.
pub fn rotated_locals(nodes: &[Node]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    collect_rotated(nodes, &mut found);
    found
}

fn collect_rotated(nodes: &[Node], found: &mut FxHashSet<LocalId>) {
    for node in nodes {
        match node {
            Node::Region(region) => {
                found.extend(region.rotations.iter().flat_map(|it| [it.0, it.1]));
            }
            Node::If(Branch { then: first, otherwise: second, .. })
            | Node::Loop(LoopNode { body: first, update: second, .. }) => {
                collect_rotated(first, found);
                collect_rotated(second, found);
            }
            Node::Unrolled(unrolled) => {
                collect_rotated(&unrolled.body, found);
                collect_rotated(&unrolled.rolled.body, found);
                collect_rotated(&unrolled.rolled.update, found);
            }
            Node::Labeled(_, body) => collect_rotated(body, found),
            Node::Switch(switch) => switch.cases.iter().for_each(|it| collect_rotated(&it.1, found)),
            _ => {}
        }
    }
}
