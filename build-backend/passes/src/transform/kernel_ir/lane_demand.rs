//! Demanded lanes of unrolled warp loops on CPUs, as LLVM's InstCombine finds demanded elements of vectors.
//!
//! A warp sums up by shuffles over the distances 16, 8, 4, 2 and 1, and its first lane alone uses the sum:
//! the iterations have to compute 16, 8, 4, 2 and 1 lanes. A backward analysis over the region tree finds
//! how many of the first lanes of a warp may still be read of each local. A guard such as `lane == 0` bounds
//! them, and a shuffle by a known distance moves them.
//!
//! Lanes beyond are left out of iterations that consist of operations that cannot fail.

use rustc_hash::FxHashSet;

use crate::analysis::constants::constant_value;
use crate::analysis::expressions::{is_speculatable, scalar_bytes};
use crate::analysis::locals::{collect_locals, is_always_assigned, is_assigned_first, mentioned_locals};
use crate::kernel_ir::{
    AxisBound, GridStrideLoop, KernelIr, LoopNode, Node, Region, Relation, Schedule, SubRange, UnrolledLoop,
};
use crate::transform::kernel_ir::index_set_split::split_by_guards;
use crate::transform::kernel_ir::unroll_collectives::evaluate_with;
use apg_mir::thread_index::WARP_SIZE;
use apg_mir::walk::operands;
use apg_mir::*;

/// Restricts the iterations of unrolled warp loops to the demanded lanes.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_nodes(|ir, nodes| {
        let nothing = LaneDemand(vec![0; ir.storage.len()]);
        DemandAnalysis { ir }.visit_nodes(nodes, &mut nothing.clone());
    });
}

/// How many of the first lanes of each warp may still be read of each local.
#[derive(Clone, PartialEq, Eq)]
struct LaneDemand(Vec<i64>);

impl LaneDemand {
    fn of(&self, local: LocalId) -> i64 {
        self.0.get(local.index()).copied().unwrap_or(WARP_SIZE)
    }

    fn set(&mut self, local: LocalId, lanes: i64) {
        if let Some(all) = self.0.get_mut(local.index()) {
            *all = lanes;
        }
    }

    fn raise(&mut self, local: LocalId, lanes: i64) {
        self.set(local, lanes.max(self.of(local)));
    }

    /// The demand on either of two paths.
    fn join(&mut self, other: &LaneDemand) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a = (*a).max(*b));
    }
}

struct DemandAnalysis<'a> {
    ir: &'a KernelIr,
}

impl DemandAnalysis<'_> {
    /// Changes the demand behind nodes to the one in front of them. A loop is visited until its demand is
    /// stable: the last visit of a node, with the highest demand, counts.
    fn visit_nodes(&self, nodes: &mut [Node], demand: &mut LaneDemand) {
        nodes.iter_mut().rev().for_each(|it| self.visit_node(it, demand));
    }

    fn visit_node(&self, node: &mut Node, demand: &mut LaneDemand) {
        match node {
            Node::Barrier => {}
            Node::Region(region) => self.visit_region(region, demand),
            Node::Uniform(stmt) | Node::Offset(stmt) => self.read_operands(stmt, demand),
            // Its target is not looked for.
            Node::Jump(_) => demand.0.fill(WARP_SIZE),
            Node::Collective(stmt) => {
                if let StmtKind::Set { local, .. } = stmt.kind {
                    demand.set(local, 0);
                }
                self.read_operands(stmt, demand);
            }
            Node::GridStride(stride) => self.visit_grid_stride(stride, demand),
            Node::If(branch) => {
                let mut otherwise = demand.clone();
                self.visit_nodes(&mut branch.then, demand);
                self.visit_nodes(&mut branch.otherwise, &mut otherwise);
                demand.join(&otherwise);
                self.read(&branch.condition, WARP_SIZE, demand);
            }
            Node::Loop(repeat) => {
                let LoopNode { condition, body, update, .. } = repeat;
                self.read(condition, WARP_SIZE, demand);
                self.until_stable(demand, &mut |it| {
                    self.read(condition, WARP_SIZE, it);
                    self.visit_nodes(update, it);
                    self.visit_nodes(body, it);
                });
            }
            Node::Unrolled(unrolled) => self.visit_unrolled(unrolled, demand),
            Node::Labeled(_, body) | Node::Warps(body) => self.visit_nodes(body, demand),
            Node::Switch(switch) => {
                // A case may fall through to the next one.
                let mut next = demand.clone();
                for (_, body) in switch.cases.iter_mut().rev() {
                    self.visit_nodes(body, &mut next);
                    demand.join(&next);
                }
                self.read(&switch.value, WARP_SIZE, demand);
            }
        }
    }

    /// The demand in front of iterations whose number is not known.
    fn until_stable(&self, demand: &mut LaneDemand, visit: &mut dyn FnMut(&mut LaneDemand)) {
        loop {
            let mut before = demand.clone();
            visit(&mut before);
            before.join(demand);
            if before == *demand {
                return;
            }
            *demand = before;
        }
    }

    fn visit_grid_stride(&self, stride: &GridStrideLoop, demand: &mut LaneDemand) {
        self.until_stable(demand, &mut |it| self.visit_schedule(&stride.schedule, it));
        for bound in [&stride.start, &stride.end, &stride.step] {
            self.read(bound, WARP_SIZE, demand);
        }
    }

    fn visit_region(&self, region: &Region, demand: &mut LaneDemand) {
        self.visit_schedule(&region.schedule, demand);
        for (target, source) in &region.rotations {
            demand.set(*target, WARP_SIZE);
            demand.set(*source, WARP_SIZE);
        }
    }

    fn visit_schedule(&self, schedule: &Schedule, demand: &mut LaneDemand) {
        match schedule {
            Schedule::Threads(stmts) => match split_by_guards(self.ir, stmts) {
                Some(ranges) => self.visit_sub_ranges(&ranges, demand),
                None => self.visit_stmts(stmts, demand),
            },
            Schedule::Chunks(chunks) => self.visit_stmts(&chunks.stmts, demand),
            Schedule::SubRanges(ranges) => self.visit_sub_ranges(ranges, demand),
            Schedule::Hoisted { loads, body } => {
                self.visit_schedule(body, demand);
                loads.iter().for_each(|it| self.read(&it.index, WARP_SIZE, demand));
            }
            // Loops are unrolled in the same launches.
            Schedule::Proven { proven, .. } => self.visit_schedule(proven, demand),
            Schedule::FullTile { full, partial, .. } => {
                let mut otherwise = demand.clone();
                self.visit_schedule(full, demand);
                self.visit_schedule(partial, &mut otherwise);
                demand.join(&otherwise);
            }
        }
    }

    fn visit_sub_ranges(&self, ranges: &[SubRange], demand: &mut LaneDemand) {
        for range in ranges.iter().rev() {
            if range.bounds.is_empty() {
                self.visit_stmts(&range.stmts, demand);
                continue;
            }
            let lanes = range.bounds.iter().map(|it| self.passing_lanes(it)).min().unwrap_or(WARP_SIZE);
            for local in self.with_definitions(mentioned_locals(&range.stmts)) {
                if !is_assigned_first(range.stmts.iter(), local) {
                    demand.raise(local, lanes);
                }
            }
            for bound in &range.bounds {
                self.read(&bound.side, WARP_SIZE, demand);
            }
        }
    }

    /// Statements of all threads.
    fn visit_stmts(&self, stmts: &[Stmt], demand: &mut LaneDemand) {
        for local in self.with_definitions(mentioned_locals(stmts)) {
            if is_always_assigned(stmts.iter(), local) {
                demand.set(local, 0);
            } else if !is_assigned_first(stmts.iter(), local) {
                demand.set(local, WARP_SIZE);
            }
        }
    }

    fn visit_unrolled(&self, unrolled: &mut UnrolledLoop, demand: &mut LaneDemand) {
        let UnrolledLoop { counter, values, by_warps, warp_arrays, lanes, body, .. } = unrolled;
        if !*by_warps {
            values.iter().for_each(|_| self.visit_nodes(body, demand));
            return;
        }
        for array in warp_arrays {
            array.lanes_out = if array.lanes_out > 0 { demand.of(array.local) } else { 0 };
        }
        for (iteration, value) in values.iter().enumerate().rev() {
            lanes[iteration] = self.visit_iteration(body, (*counter, *value), demand);
        }
    }

    /// The smallest number of lanes that an iteration has to be executed for.
    fn visit_iteration(&self, body: &[Node], counter: (LocalId, i64), demand: &mut LaneDemand) -> i64 {
        let mut lanes = 1;
        loop {
            let mut before = demand.clone();
            let needed =
                body.iter().rev().map(|it| self.execute(it, counter, lanes, &mut before)).max().unwrap_or(1);
            if needed <= lanes {
                *demand = before;
                return lanes;
            }
            lanes = needed;
        }
    }

    /// Executes a node of an iteration for the first lanes. Returns how many lanes its results need.
    fn execute(&self, node: &Node, counter: (LocalId, i64), lanes: i64, demand: &mut LaneDemand) -> i64 {
        match node {
            Node::Region(Region { schedule: Schedule::Threads(stmts), .. })
                if stmts.iter().all(is_speculatable_set) =>
            {
                stmts.iter().rev().map(|it| self.execute_set(it, lanes, demand)).max().unwrap_or(1)
            }
            Node::Region(region) => {
                self.visit_region(region, demand);
                WARP_SIZE
            }
            Node::Collective(stmt) => {
                let StmtKind::Set { local, value } = &stmt.kind else { return WARP_SIZE };
                let needed = demand.of(*local);
                demand.set(*local, 0);
                let Some((operand, shuffle)) = Shuffle::of(value, counter) else {
                    self.read_operands(stmt, demand);
                    return WARP_SIZE;
                };
                let sources = (0..lanes).map(|it| shuffle.source(it) + 1).max();
                self.read(operand, sources.unwrap_or(0).max(lanes), demand);
                needed
            }
            _ => {
                demand.0.fill(WARP_SIZE);
                WARP_SIZE
            }
        }
    }

    fn execute_set(&self, stmt: &Stmt, lanes: i64, demand: &mut LaneDemand) -> i64 {
        let StmtKind::Set { local, value } = &stmt.kind else { return WARP_SIZE };
        let needed = demand.of(*local);
        demand.set(*local, 0);
        self.read(value, lanes, demand);
        needed
    }

    fn read_operands(&self, stmt: &Stmt, demand: &mut LaneDemand) {
        operands(&stmt.kind).into_iter().for_each(|it| self.read(it, WARP_SIZE, demand));
    }

    fn read(&self, expr: &Expr, lanes: i64, demand: &mut LaneDemand) {
        let mut mentioned = FxHashSet::default();
        collect_locals(expr, &mut mentioned);
        self.with_definitions(mentioned).into_iter().for_each(|it| demand.raise(it, lanes));
    }

    /// Locals, and those that the values of rematerialised ones among them are computed from.
    fn with_definitions(&self, mut locals: FxHashSet<LocalId>) -> FxHashSet<LocalId> {
        for derived in self.ir.rematerialized_for(&locals.clone()) {
            collect_locals(&derived.value, &mut locals);
        }
        locals
    }

    /// An upper bound of the number of first lanes in each warp among which those are that pass a bound.
    fn passing_lanes(&self, bound: &AxisBound) -> i64 {
        let Some(side) = constant_value(&bound.side).filter(|_| bound.axis == 0 && self.has_whole_rows())
        else {
            return WARP_SIZE;
        };
        match bound.relation {
            Relation::Is => side.rem_euclid(WARP_SIZE) + 1,
            Relation::Remainder(number) if number % WARP_SIZE == 0 => side.rem_euclid(WARP_SIZE) + 1,
            Relation::Below => side.clamp(0, WARP_SIZE),
            Relation::UpTo => side.saturating_add(1).clamp(0, WARP_SIZE),
            Relation::Remainder(_) | Relation::From | Relation::Above => WARP_SIZE,
        }
    }

    /// Whether a lane is the index of the fastest axis modulo the size of a warp.
    fn has_whole_rows(&self) -> bool {
        let row = self.ir.kernel.host.threads.last().and_then(constant_value);
        self.ir.kernel.host.threads.len() == 1 || row.is_some_and(|it| it % WARP_SIZE == 0)
    }
}

/// Whether a statement assigns a number whose computation has no effect.
fn is_speculatable_set(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Set { value, .. } if scalar_bytes(value.ty).is_some() && is_speculatable(value))
}

/// A shuffle by a known distance.
#[derive(Clone, Copy)]
enum Shuffle {
    Down(i64),
    Xor(i64),
}

impl Shuffle {
    /// The operand of a shuffle that has no effect, and the shuffle with the counter's value as its distance.
    fn of(value: &Expr, (counter, now): (LocalId, i64)) -> Option<(&Expr, Shuffle)> {
        let ExprKind::Collective { operation, args } = &value.kind else { return None };
        let [operand, distance] = args.as_slice() else { return None };
        let distance = evaluate_with(distance, counter, now)?;
        let is_known = (1..WARP_SIZE).contains(&distance) && is_speculatable(operand);
        let shuffle = match operation.name {
            "warp_shuffle_down" => Shuffle::Down(distance),
            "warp_shuffle_xor" if distance.count_ones() == 1 => Shuffle::Xor(distance),
            _ => return None,
        };
        is_known.then_some((operand, shuffle))
    }

    /// The lane whose operand a lane gets.
    fn source(self, lane: i64) -> i64 {
        match self {
            Shuffle::Down(by) if lane + by < WARP_SIZE => lane + by,
            Shuffle::Down(_) => lane,
            Shuffle::Xor(by) => lane ^ by,
        }
    }
}
