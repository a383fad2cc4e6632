//! Loop fission and interchange of work-item loops (Allen and Kennedy, *Optimizing Compilers for Modern
//! Architectures*).
//!
//! A parallel region is split at loops that all threads execute alike. A *chunk* of threads executes such a
//! loop together: the work-item loop is then innermost, short, of known length, and vectorised by every
//! compiler, and values that threads carry from iteration to iteration stay in registers. Divergent branches
//! become masks.
//!
//! Precondition: the loop's condition is uniform and only the loop's end leaves it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::jumps::has_continue;
use crate::analysis::kernel_ir::access_stride::is_strided;
use crate::analysis::locals::{count_mentions, is_assigned_first, mentioned_locals};
use crate::analysis::uniformity::Dependences;
use crate::kernel_ir::{
    Branch, ChunkLoop, ChunkPart, Chunks, ExpandedLocal, KernelIr, Schedule, Storage, StridedLoop, Threads,
    UnrollAndJam, chunk_threads, edit_proven,
};
use crate::transform::kernel_ir::strided_loops::{find_strided_loops, is_chunk_uniform};
use apg_mir::walk::{bodies, visit_stmts};
use apg_mir::*;

/// Splits the regions that have a loop for which that pays.
pub(crate) fn run(ir: &mut KernelIr) {
    if chunk_threads(&ir.kernel).is_none() {
        return;
    }
    ir.edit_schedules(&mut |ir, schedule, threads| {
        edit_proven(schedule, false, &mut |schedule, in_tile| {
            let Schedule::Threads(stmts) = &*schedule else { return };
            if matches!(threads, Threads::OfIteration(label) if has_continue(stmts, label)) {
                return;
            }
            let Some(found) = split_region(ir, threads, stmts) else { return };
            let proven = Schedule::Chunks(found);
            *schedule = match in_tile {
                true => proven,
                false => Schedule::Proven { proven: Box::new(proven), otherwise: schedule.take() },
            };
        });
    });
}

/// Splits a region, if it has a loop for which that pays.
fn split_region(ir: &KernelIr, threads: Threads, stmts: &[Stmt]) -> Option<Chunks> {
    let mut found = FissionAnalysis {
        ir,
        uniform: FxHashSet::default(),
        mentions: count_mentions(stmts),
        strided: find_strided_loops(ir, threads, stmts),
    };
    found.find_uniform(stmts);
    let parts = found.build_parts(stmts);
    if !parts.iter().any(has_loop) || is_strided(ir, &found.uniform, stmts) {
        return None;
    }
    let counters = found.strided.values().map(|it| it.counter).collect();
    let (by_local, is_aligned) = (FxHashMap::default(), !found.strided.is_empty());
    let mut uses = PartUses { ir, uniform: &found.uniform, counters, by_local, count: 0 };
    uses.collect(&parts, false);
    let mut expanded: Vec<LocalId> =
        uses.by_local.iter().filter(|it| it.1.is_none()).map(|it| *it.0).collect();
    expanded.sort();
    let expanded = expanded.into_iter().map(ExpandedLocal::new).collect();
    let mut uniform: Vec<LocalId> = found.uniform.iter().copied().collect();
    uniform.sort();
    Some(Chunks { stmts: stmts.to_vec(), parts, uniform, expanded, jam: UnrollAndJam::NONE, is_aligned })
}

/// Whether a part is or contains a fissioned loop.
pub(super) fn has_loop(part: &ChunkPart) -> bool {
    match part {
        ChunkPart::Loop(_) | ChunkPart::Strided(_) => true,
        ChunkPart::If(branch) | ChunkPart::Masked(branch) => {
            branch.then.iter().chain(&branch.otherwise).any(has_loop)
        }
        ChunkPart::Lanes { .. } | ChunkPart::Uniform(_) => false,
    }
}

/// Calls `f` with the chunks of a schedule.
pub(super) fn edit_chunks(schedule: &mut Schedule, f: &mut dyn FnMut(&mut Chunks)) {
    match schedule {
        Schedule::Chunks(chunks) => f(chunks),
        Schedule::Threads(_) | Schedule::SubRanges(_) => {}
        Schedule::Hoisted { body, .. } => edit_chunks(body, f),
        Schedule::Proven { proven: first, otherwise: second }
        | Schedule::FullTile { full: first, partial: second, .. } => {
            edit_chunks(first, f);
            edit_chunks(second, f);
        }
    }
}

/// Calls `f` with the parts, inner ones first.
pub(super) fn edit_parts(parts: &mut [ChunkPart], f: &mut dyn FnMut(&mut ChunkPart)) {
    for part in parts {
        match part {
            ChunkPart::Loop(ChunkLoop { body: first, update: second, .. })
            | ChunkPart::If(Branch { then: first, otherwise: second, .. })
            | ChunkPart::Masked(Branch { then: first, otherwise: second, .. }) => {
                edit_parts(first, f);
                edit_parts(second, f);
            }
            ChunkPart::Strided(strided) => edit_parts(&mut strided.body, f),
            ChunkPart::Lanes { .. } | ChunkPart::Uniform(_) => {}
        }
        f(part);
    }
}

struct FissionAnalysis<'p> {
    ir: &'p KernelIr,
    uniform: FxHashSet<LocalId>,
    /// Mentions in the whole region.
    mentions: FxHashMap<LocalId, usize>,
    /// Strided loops.
    strided: FxHashMap<StmtId, StridedLoop>,
}

impl FissionAnalysis<'_> {
    /// Uniformity analysis of the region's locals.
    fn find_uniform(&mut self, stmts: &[Stmt]) {
        let ir = self.ir;
        let is_register = |it: &LocalId| ir.storage.get(it.index()) == Some(&Storage::Register);
        let candidates = self.mentions.keys().copied().filter(is_register).collect();
        let mut dependences = Dependences::new(&ir.kernel, &ir.accesses, &ir.uniformity, candidates);
        self.add_dependences(stmts, &mut Vec::new(), &mut dependences);
        self.uniform = dependences.solve();
    }

    fn is_uniform(&self, expr: &Expr) -> bool {
        self.ir.is_uniform(expr, &self.uniform)
    }

    /// Adds what locals depend on: assigned values and the conditions around. A local that nothing outside of
    /// a branch mentions does not depend on the branch's condition. Loops that cannot be split have locals
    /// that vary.
    fn add_dependences<'s>(
        &self,
        stmts: &'s [Stmt],
        control: &mut Vec<ControlDependence<'s>>,
        dependences: &mut Dependences<'_>,
    ) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Set { local, value } if !matches!(value.kind, ExprKind::AllocateRail { .. }) => {
                    let around = control.iter().filter(|it| !it.private.contains(local));
                    dependences.depend(*local, std::iter::once(value).chain(around.map(|it| it.condition)));
                }
                StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } => {
                    dependences.vary(*local);
                }
                StmtKind::Block(body) => self.add_dependences(body, control, dependences),
                StmtKind::If { condition, then, otherwise } => {
                    for branch in [then, otherwise] {
                        let private = self.locals_used_only_in(branch);
                        control.push(ControlDependence { condition, private });
                        self.add_dependences(branch, control, dependences);
                        control.pop();
                    }
                }
                StmtKind::Loop { condition, body, update, .. } if is_left_at_end(body, update) => {
                    control.push(ControlDependence { condition, private: FxHashSet::default() });
                    self.add_dependences(body, control, dependences);
                    self.add_dependences(update, control, dependences);
                    control.pop();
                }
                kind => {
                    for body in bodies(kind) {
                        visit_stmts(body, &mut |it| {
                            if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } =
                                &it.kind
                            {
                                dependences.vary(*local);
                            }
                        });
                    }
                }
            }
        }
    }

    /// Locals that only these statements mention.
    fn locals_used_only_in(&self, body: &[Stmt]) -> FxHashSet<LocalId> {
        count_mentions(body)
            .into_iter()
            .filter(|(local, count)| self.mentions.get(local) == Some(count))
            .map(|it| it.0)
            .collect()
    }

    /// Whether a loop is split: its iterations are the same for all threads, and only its end leaves it.
    fn is_fissioned(&self, stmt: &Stmt) -> bool {
        let StmtKind::Loop { condition, body, update, .. } = &stmt.kind else { return false };
        is_left_at_end(body, update) && self.is_uniform(condition)
    }

    /// Whether a statement contains a loop that is split.
    fn contains_fissioned_loop(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Loop { .. } => self.is_fissioned(stmt) || self.strided.contains_key(&stmt.id),
            StmtKind::Block(body) => body.iter().any(|it| self.contains_fissioned_loop(it)),
            StmtKind::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).any(|it| self.contains_fissioned_loop(it))
            }
            _ => false,
        }
    }

    fn build_parts(&self, stmts: &[Stmt]) -> Vec<ChunkPart> {
        let mut parts = Vec::new();
        let mut stmts = stmts.iter().peekable();
        while let Some(stmt) = stmts.next() {
            match stmts.peek().and_then(|it| self.strided.get(&it.id)) {
                Some(strided) => {
                    parts.push(ChunkPart::Strided(strided.clone()));
                    // Its initial value is part of the loop.
                    stmts.next();
                }
                None => self.add_stmt(stmt, &mut parts),
            }
        }
        parts
    }

    fn add_stmt(&self, stmt: &Stmt, parts: &mut Vec<ChunkPart>) {
        match &stmt.kind {
            StmtKind::Set { local, .. } if self.uniform.contains(local) => {
                parts.push(ChunkPart::Uniform(stmt.clone()))
            }
            StmtKind::Set { local, .. }
                if self.ir.storage.get(local.index()) == Some(&Storage::Rematerialized) => {}
            StmtKind::Block(body) => {
                self.build_parts(body).into_iter().for_each(|it| push_part(it, parts));
            }
            StmtKind::If { condition, then, otherwise }
                if self.contains_fissioned_loop(stmt) || self.assigns_uniform(stmt) =>
            {
                let branch = Branch {
                    span: stmt.span,
                    condition: condition.clone(),
                    then: self.build_parts(then),
                    otherwise: self.build_parts(otherwise),
                };
                let is_uniform = self.is_uniform(condition)
                    || !self.strided.is_empty() && is_chunk_uniform(self.ir, condition);
                parts.push(match is_uniform {
                    true => ChunkPart::If(branch),
                    false => ChunkPart::Masked(branch),
                });
            }
            StmtKind::Loop { condition, body, update, unroll, post_tested, .. }
                if self.is_fissioned(stmt) =>
            {
                parts.push(ChunkPart::Loop(ChunkLoop {
                    source: stmt.id,
                    span: stmt.span,
                    condition: condition.clone(),
                    post_tested: *post_tested,
                    unroll: *unroll,
                    body: self.build_parts(body),
                    update: self.build_parts(update),
                    tiles: None,
                }));
            }
            _ => {
                let (stmts, loads, stores) = (vec![stmt.clone()], Vec::new(), Vec::new());
                push_part(ChunkPart::Lanes { stmts, loads, stores }, parts);
            }
        }
    }

    fn assigns_uniform(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        visit_stmts(std::slice::from_ref(stmt), &mut |it| {
            found |= matches!(&it.kind, StmtKind::Set { local, .. } if self.uniform.contains(local));
        });
        found
    }
}

/// A condition that decides whether statements run.
struct ControlDependence<'s> {
    condition: &'s Expr,
    /// Locals that these statements have for themselves.
    private: FxHashSet<LocalId>,
}

/// Whether no jump leaves a loop of this body and update, or ends an iteration early.
fn is_left_at_end(body: &[Stmt], update: &[Stmt]) -> bool {
    let mut inner = FxHashSet::default();
    let mut stays = true;
    for body in [body, update] {
        visit_stmts(body, &mut |it| {
            if let StmtKind::Loop { label, .. }
            | StmtKind::Switch { label, .. }
            | StmtKind::Labeled { label, .. } = &it.kind
            {
                inner.insert(*label);
            }
        });
    }
    for body in [body, update] {
        visit_stmts(body, &mut |it| match &it.kind {
            StmtKind::Break(label) | StmtKind::Continue(label) => stays &= inner.contains(label),
            _ => {}
        });
    }
    stays
}

/// Adds a part; statements of lanes join those in front of them.
fn push_part(part: ChunkPart, parts: &mut Vec<ChunkPart>) {
    match (part, parts.last_mut()) {
        (ChunkPart::Lanes { stmts: more, .. }, Some(ChunkPart::Lanes { stmts, .. })) => stmts.extend(more),
        (part, _) => parts.push(part),
    }
}

/// Uses of locals: the number of the only part that uses a local, or `None` if several parts use it or it is
/// loop-carried.
struct PartUses<'p> {
    ir: &'p KernelIr,
    uniform: &'p FxHashSet<LocalId>,
    /// Counters of strided loops, which are no variables.
    counters: FxHashSet<LocalId>,
    by_local: FxHashMap<LocalId, Option<usize>>,
    count: usize,
}

impl PartUses<'_> {
    fn collect(&mut self, parts: &[ChunkPart], in_loop: bool) {
        for part in parts {
            match part {
                ChunkPart::Lanes { stmts, .. } => self.add_lanes(stmts, in_loop),
                ChunkPart::Uniform(_) => {}
                ChunkPart::Strided(strided) => self.collect(&strided.body, true),
                ChunkPart::Loop(ChunkLoop { body, update, .. }) => {
                    self.collect(body, true);
                    self.collect(update, true);
                }
                ChunkPart::If(branch) => {
                    self.collect(&branch.then, in_loop);
                    self.collect(&branch.otherwise, in_loop);
                }
                ChunkPart::Masked(branch) => {
                    self.count += 1;
                    walk::visit_expr(&branch.condition, None, &mut |it, _| {
                        if let ExprKind::Local(local) = it.kind {
                            self.add_use(local, true);
                        }
                    });
                    self.collect(&branch.then, in_loop);
                    self.collect(&branch.otherwise, in_loop);
                }
            }
        }
    }

    fn add_lanes(&mut self, stmts: &[Stmt], in_loop: bool) {
        self.count += 1;
        for local in mentioned_locals(stmts) {
            let carried =
                in_loop && (self.ir.is_in_context_array(local) || !is_assigned_first(stmts.iter(), local));
            self.add_use(local, carried);
        }
    }

    fn add_use(&mut self, local: LocalId, carried: bool) {
        let class = self.ir.storage.get(local.index());
        if !matches!(class, Some(Storage::Register | Storage::ContextArray))
            || self.uniform.contains(&local)
            || self.counters.contains(&local)
        {
            return;
        }
        let count = self.count;
        let site = self.by_local.entry(local).or_insert(Some(count));
        if carried || *site != Some(count) {
            *site = None;
        }
    }
}
