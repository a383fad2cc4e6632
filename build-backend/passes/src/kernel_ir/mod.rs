//! Kernel IR: the loops over the threads of a block, in which a CPU executes a kernel, and the plan of its
//! device form (Jaaskelainen and others, *pocl*, IJPP 2015; Allen and Kennedy, *Optimizing Compilers for
//! Modern Architectures*).
//!
//! The IR owns its statements, which keep the identities of the kernel's body: facts about accesses are keyed
//! by them. `region_formation` builds it; the passes of `schedule` transform it; printers print it.

mod chunks;
mod device;
mod locals;
mod memory;
mod nodes;
mod prefetches;
mod schedule;
pub mod text;

pub use chunks::*;
pub use device::*;
pub use locals::*;
pub use memory::*;
pub use nodes::*;
pub use prefetches::*;
pub use schedule::*;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::access_summary::AccessSummary;
use crate::analysis::ranges::Bounds;
use crate::analysis::ranges::facts::CheckElimination;
use crate::analysis::uniformity::Uniformity;
use apg_mir::walk::{visit_expr, visit_stmts};
use apg_mir::*;

/// A kernel as loops over the threads of a block.
#[derive(Clone, Debug)]
pub struct KernelIr {
    /// The kernel: captures, extents, shared arrays, and the code of one thread.
    pub kernel: Kernel,
    /// What a block executes, in order.
    pub nodes: Vec<Node>,
    /// Storage by local.
    pub storage: Vec<Storage>,
    /// Storage of the variables in memory of a thread: registers are those of the loop over the threads.
    pub variables: Storage,
    /// Threads access memory through pointers and variables, or jump by `goto`. Passes that know arrays and
    /// structured control flow leave such kernels alone.
    pub has_unstructured_code: bool,
    /// Rematerialised locals in dependence order.
    pub rematerialized: Vec<Rematerialized>,
    /// Private arrays of a thread.
    pub private_rails: FxHashMap<LocalId, PrivateRail>,
    /// Arrays that are read only.
    pub accesses: AccessSummary,
    /// Shared arrays: their place and initialisation.
    pub shared: SharedPlan,
    /// Sums of captured arrays.
    pub private_sums: Vec<PrivateSums>,
    /// Strips of blocks that are interchanged with the rows of a block.
    pub strips: Option<BlockStrips>,
    /// The device form.
    pub device: DeviceForm,
    /// Which checks are eliminated, and under which launch conditions.
    pub bounds: Bounds,
    /// Indices that a CPU computes with 64 bits in launches whose conditions hold.
    pub widened: FxHashSet<ExprId>,
    /// Upper bound of the bytes of the captures.
    pub environment_bytes: usize,
    /// The program is compiled without checks.
    pub unchecked: bool,
    /// It makes calls of slots: each block runs by itself, and may wait.
    pub communicates: bool,
    pub(crate) uniformity: Uniformity,
}

impl KernelIr {
    /// Whether an expression is block-uniform, if the locals `more` are.
    pub fn is_uniform(&self, expr: &Expr, more: &FxHashSet<LocalId>) -> bool {
        self.uniformity.is_uniform(&self.kernel, &self.accesses, expr, more)
    }

    /// Whether an access needs no check in launches whose conditions hold.
    pub(crate) fn is_inside(&self, index: &Expr) -> bool {
        self.unchecked
            || matches!(
                self.bounds.check_elimination.get(&index.id),
                Some(CheckElimination::Inside | CheckElimination::AtLaunch(_))
            )
    }

    /// Whether the kernel has a faster variant, for launches that satisfy its launch conditions.
    pub fn depends_on_launch(&self) -> bool {
        self.bounds.launch.depends_on_launch(self.unchecked)
    }

    /// Whether exactly one statement of the kernel assigns a local.
    pub fn is_assigned_once(&self, local: LocalId) -> bool {
        self.uniformity.assignments.get(&local) == Some(&1)
    }

    /// The value of a rematerialised local, or its initial value.
    pub fn rematerialized_value(&self, local: LocalId) -> Option<&Expr> {
        self.rematerialized.iter().find(|it| it.local == local).map(|it| &it.value)
    }

    /// The rematerialised locals that code mentioning these locals needs, in dependence order.
    pub fn rematerialized_for(&self, mentioned: &FxHashSet<LocalId>) -> Vec<&Rematerialized> {
        let mut wanted = mentioned.clone();
        let mut found = Vec::new();
        for derived in self.rematerialized.iter().rev() {
            if wanted.contains(&derived.local) {
                visit_expr(&derived.value, None, &mut |it, _| {
                    if let ExprKind::Local(local) = it.kind {
                        wanted.insert(local);
                    }
                });
                found.push(derived);
            }
        }
        found.reverse();
        found
    }

    /// A statement of the kernel's body.
    pub(crate) fn source(&self, id: StmtId) -> Option<&Stmt> {
        let mut found = None;
        visit_stmts(&self.kernel.body, &mut |it| {
            if it.id == id {
                found = Some(it);
            }
        });
        found.filter(|_| id.is_assigned())
    }

    /// Whether a local is stored in a context array.
    pub fn is_in_context_array(&self, local: LocalId) -> bool {
        self.storage.get(local.index()) == Some(&Storage::ContextArray)
    }

    /// Transforms the nodes by a function that reads the rest of the IR.
    pub(crate) fn edit_nodes(&mut self, f: impl FnOnce(&KernelIr, &mut Vec<Node>)) {
        let mut nodes = std::mem::take(&mut self.nodes);
        f(self, &mut nodes);
        self.nodes = nodes;
    }

    /// Calls `f` with the schedule of each region and grid-stride loop that threads of whole blocks execute
    /// in launches whose conditions hold.
    pub(crate) fn edit_schedules(&mut self, f: &mut dyn FnMut(&KernelIr, &mut Schedule, Threads)) {
        self.edit_nodes(|ir, nodes| {
            edit_node_schedules(nodes, &mut |schedule, threads| f(ir, schedule, threads))
        });
    }
}

fn edit_node_schedules(nodes: &mut [Node], f: &mut dyn FnMut(&mut Schedule, Threads)) {
    for node in nodes {
        match node {
            Node::Region(region) => f(&mut region.schedule, Threads::OfBlock),
            Node::GridStride(stride) => f(&mut stride.schedule, Threads::OfIteration(stride.label)),
            Node::If(branch) => {
                edit_node_schedules(&mut branch.then, f);
                edit_node_schedules(&mut branch.otherwise, f);
            }
            Node::Loop(LoopNode { body, update, .. }) => {
                edit_node_schedules(body, f);
                edit_node_schedules(update, f);
            }
            // The loop that is not unrolled is for other launches.
            Node::Unrolled(unrolled) if !unrolled.by_warps => edit_node_schedules(&mut unrolled.body, f),
            Node::Labeled(_, body) => edit_node_schedules(body, f),
            Node::Switch(switch) => {
                switch.cases.iter_mut().for_each(|it| edit_node_schedules(&mut it.1, f));
            }
            Node::Barrier
            | Node::Uniform(_)
            | Node::Offset(_)
            | Node::Collective(_)
            | Node::Jump(_)
            | Node::Warps(_)
            | Node::Unrolled(_) => {}
        }
    }
}

/// Calls `f` with a schedule and those inside of it that run in launches whose conditions hold, inner ones
/// first; `in_tile` says that the schedule is for blocks whose threads all pass a guard.
pub(crate) fn edit_proven(schedule: &mut Schedule, in_tile: bool, f: &mut dyn FnMut(&mut Schedule, bool)) {
    match schedule {
        Schedule::Hoisted { body, .. } => edit_proven(body, in_tile, f),
        Schedule::Proven { proven, .. } => edit_proven(proven, in_tile, f),
        Schedule::FullTile { full, .. } => edit_proven(full, true, f),
        Schedule::Threads(_) | Schedule::SubRanges(_) | Schedule::Chunks(_) => f(schedule, in_tile),
    }
}
