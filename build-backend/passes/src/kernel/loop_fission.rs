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

use super::access_stride::is_strided;
use super::locals::{count_mentions, is_assigned_first, mentioned_locals};
use super::region_formation::RegionTree;
use super::region_node::Storage;
use apg_mir::walk::{bodies, visit_stmts};
use apg_mir::*;

/// A part of a fissioned region.
pub enum FissionPart<'a> {
    /// Statements for each thread of the chunk.
    Lanes(Vec<&'a Stmt>),
    /// Assignment of a uniform local.
    Uniform(&'a Stmt),
    /// A loop that all threads execute together: body and update.
    Loop(&'a Stmt, Vec<FissionPart<'a>>, Vec<FissionPart<'a>>),
    /// A uniform branch.
    If(&'a Stmt, Vec<FissionPart<'a>>, Vec<FissionPart<'a>>),
    /// A divergent branch.
    Masked(&'a Stmt, Vec<FissionPart<'a>>, Vec<FissionPart<'a>>),
}

/// A fissioned region.
pub struct Fission<'a> {
    /// Parts in order.
    pub parts: Vec<FissionPart<'a>>,
    /// Locals with one value for all threads of the chunk.
    pub uniform: Vec<LocalId>,
    /// Locals that are expanded to an array with an element per thread.
    pub expanded: Vec<LocalId>,
}

/// Splits a region, if it has a loop for which that pays.
pub fn split_region<'a>(tree: &RegionTree<'a>, stmts: &[&'a Stmt]) -> Option<Fission<'a>> {
    let mut found = FissionAnalysis { tree, uniform: FxHashSet::default(), mentions: count_mentions(stmts) };
    found.find_uniform(stmts);
    let parts = found.build_parts(stmts.iter().copied());
    if !parts.iter().any(has_loop) || is_strided(tree, &found.uniform, stmts) {
        return None;
    }
    let mut uses = PartUses { tree, uniform: &found.uniform, by_local: FxHashMap::default(), count: 0 };
    uses.collect(&parts, false);
    let mut expanded: Vec<LocalId> =
        uses.by_local.iter().filter(|it| it.1.is_none()).map(|it| *it.0).collect();
    expanded.sort();
    let mut uniform: Vec<LocalId> = found.uniform.iter().copied().collect();
    uniform.sort();
    Some(Fission { parts, uniform, expanded })
}

/// Whether a part is or contains a fissioned loop.
pub fn has_loop(part: &FissionPart<'_>) -> bool {
    match part {
        FissionPart::Loop(..) => true,
        FissionPart::If(_, then, otherwise) | FissionPart::Masked(_, then, otherwise) => {
            then.iter().chain(otherwise).any(has_loop)
        }
        FissionPart::Lanes(_) | FissionPart::Uniform(_) => false,
    }
}

struct FissionAnalysis<'p, 'a> {
    tree: &'p RegionTree<'a>,
    uniform: FxHashSet<LocalId>,
    /// Mentions in the whole region.
    mentions: FxHashMap<LocalId, usize>,
}

impl<'a> FissionAnalysis<'_, 'a> {
    /// Uniformity analysis of the region's locals, by the greatest fixpoint: all are assumed uniform, and
    /// contradicted ones removed.
    fn find_uniform(&mut self, stmts: &[&'a Stmt]) {
        for local in self.mentions.keys() {
            if self.tree.storage.get(local.index()) == Some(&Storage::Register) {
                self.uniform.insert(*local);
            }
        }
        loop {
            let mut divergent = FxHashSet::default();
            for stmt in stmts {
                self.find_divergent(std::slice::from_ref(*stmt), None, &mut divergent);
            }
            let before = self.uniform.len();
            self.uniform.retain(|it| !divergent.contains(it));
            if self.uniform.len() == before {
                return;
            }
        }
    }

    fn is_uniform(&self, expr: &Expr) -> bool {
        self.tree.is_uniform(expr, &self.uniform)
    }

    /// Adds locals that are divergent. In divergent branches only the locals in `allowed` can be uniform:
    /// those that nothing outside of the branch mentions.
    fn find_divergent(
        &self,
        stmts: &[Stmt],
        allowed: Option<&FxHashSet<LocalId>>,
        divergent: &mut FxHashSet<LocalId>,
    ) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Set { local, value } => {
                    let is_rail = matches!(value.kind, ExprKind::AllocateRail { .. });
                    if is_rail || !self.is_uniform(value) || allowed.is_some_and(|it| !it.contains(local)) {
                        divergent.insert(*local);
                    }
                }
                StmtKind::SetStructField { local, .. } => {
                    divergent.insert(*local);
                }
                StmtKind::Block(body) => self.find_divergent(body, allowed, divergent),
                StmtKind::If { condition, then, otherwise } => {
                    let alike = self.is_uniform(condition);
                    for branch in [then, otherwise] {
                        let inside = (!alike).then(|| self.locals_used_only_in(branch));
                        self.find_divergent(branch, inside.as_ref().or(allowed), divergent);
                    }
                }
                StmtKind::Loop { body, update, .. } if self.is_fissioned(stmt) => {
                    self.find_divergent(body, allowed, divergent);
                    self.find_divergent(update, allowed, divergent);
                }
                kind => {
                    for body in bodies(kind) {
                        visit_stmts(body, &mut |it| {
                            if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } =
                                &it.kind
                            {
                                divergent.insert(*local);
                            }
                        });
                    }
                }
            }
        }
    }

    /// Locals that only these statements mention.
    fn locals_used_only_in(&self, body: &[Stmt]) -> FxHashSet<LocalId> {
        let stmts: Vec<&Stmt> = body.iter().collect();
        count_mentions(&stmts)
            .into_iter()
            .filter(|(local, count)| self.mentions.get(local) == Some(count))
            .map(|it| it.0)
            .collect()
    }

    /// Whether a loop is split: its iterations are the same for all threads, and only its end leaves it.
    fn is_fissioned(&self, stmt: &Stmt) -> bool {
        let StmtKind::Loop { condition, body, update, .. } = &stmt.kind else { return false };
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
        stays && self.is_uniform(condition)
    }

    /// Whether a statement contains a loop that is split.
    fn contains_fissioned_loop(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Loop { .. } => self.is_fissioned(stmt),
            StmtKind::Block(body) => body.iter().any(|it| self.contains_fissioned_loop(it)),
            StmtKind::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).any(|it| self.contains_fissioned_loop(it))
            }
            _ => false,
        }
    }

    fn build_parts<'s>(&self, stmts: impl Iterator<Item = &'a Stmt> + 's) -> Vec<FissionPart<'a>> {
        let mut parts = Vec::new();
        for stmt in stmts {
            self.add_stmt(stmt, &mut parts);
        }
        parts
    }

    fn add_stmt(&self, stmt: &'a Stmt, parts: &mut Vec<FissionPart<'a>>) {
        match &stmt.kind {
            StmtKind::Set { local, .. } if self.uniform.contains(local) => {
                parts.push(FissionPart::Uniform(stmt))
            }
            StmtKind::Set { local, .. }
                if self.tree.storage.get(local.index()) == Some(&Storage::Rematerialized) => {}
            StmtKind::Block(body) => {
                for stmt in body {
                    self.add_stmt(stmt, parts);
                }
            }
            StmtKind::If { condition, then, otherwise }
                if self.contains_fissioned_loop(stmt) || self.assigns_uniform(stmt) =>
            {
                let (then, otherwise) = (self.build_parts(then.iter()), self.build_parts(otherwise.iter()));
                parts.push(match self.is_uniform(condition) {
                    true => FissionPart::If(stmt, then, otherwise),
                    false => FissionPart::Masked(stmt, then, otherwise),
                });
            }
            StmtKind::Loop { body, update, .. } if self.is_fissioned(stmt) => {
                parts.push(FissionPart::Loop(
                    stmt,
                    self.build_parts(body.iter()),
                    self.build_parts(update.iter()),
                ));
            }
            _ => match parts.last_mut() {
                Some(FissionPart::Lanes(lanes)) => lanes.push(stmt),
                _ => parts.push(FissionPart::Lanes(vec![stmt])),
            },
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

/// Uses of locals: the number of the only part that uses a local, or `None` if several parts use it or it is
/// loop-carried.
struct PartUses<'p, 'a> {
    tree: &'p RegionTree<'a>,
    uniform: &'p FxHashSet<LocalId>,
    by_local: FxHashMap<LocalId, Option<usize>>,
    count: usize,
}

impl PartUses<'_, '_> {
    fn collect(&mut self, parts: &[FissionPart<'_>], in_loop: bool) {
        for part in parts {
            match part {
                FissionPart::Lanes(stmts) => self.add_lanes(stmts, in_loop),
                FissionPart::Uniform(_) => {}
                FissionPart::Loop(_, body, update) => {
                    self.collect(body, true);
                    self.collect(update, true);
                }
                FissionPart::If(_, then, otherwise) => {
                    self.collect(then, in_loop);
                    self.collect(otherwise, in_loop);
                }
                FissionPart::Masked(stmt, then, otherwise) => {
                    self.count += 1;
                    if let StmtKind::If { condition, .. } = &stmt.kind {
                        walk::visit_expr(condition, None, &mut |it, _| {
                            if let ExprKind::Local(local) = it.kind {
                                self.add_use(local, true);
                            }
                        });
                    }
                    self.collect(then, in_loop);
                    self.collect(otherwise, in_loop);
                }
            }
        }
    }

    fn add_lanes(&mut self, stmts: &[&Stmt], in_loop: bool) {
        self.count += 1;
        for local in mentioned_locals(stmts) {
            let spilled = self.tree.storage.get(local.index()) == Some(&Storage::ContextArray);
            let carried = in_loop && (spilled || !is_assigned_first(stmts.iter().copied(), local));
            self.add_use(local, carried);
        }
    }

    fn add_use(&mut self, local: LocalId, carried: bool) {
        let class = self.tree.storage.get(local.index());
        if !matches!(class, Some(Storage::Register | Storage::ContextArray)) || self.uniform.contains(&local)
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
