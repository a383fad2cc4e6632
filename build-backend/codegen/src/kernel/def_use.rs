//! Def-use summary of the locals of a region tree: in which regions they are used, and whether their first
//! use is an assignment.

use rustc_hash::{FxHashMap, FxHashSet};

use super::regions::RegionNode;
use apg_mir::walk::{bodies, operands, visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;

/// Uses of a local.
#[derive(Clone, Copy)]
pub enum LocalUse {
    /// In one region; `carried` from one iteration of an enclosing loop to the next.
    Single {
        run: usize,
        carried: bool,
    },
    Multiple,
}

/// Uses of all locals.
#[derive(Default)]
pub struct DefUse {
    /// Uses by local; unused ones have no entry.
    pub by_local: FxHashMap<LocalId, LocalUse>,
    runs: usize,
}

impl DefUse {
    /// Collects the uses in nodes.
    pub fn collect(&mut self, nodes: &[RegionNode<'_>], in_loop: bool) {
        for node in nodes {
            match node {
                RegionNode::Parallel(stmts) => self.collect_region(stmts, in_loop),
                RegionNode::Uniform(_) | RegionNode::Offset(_) | RegionNode::Jump(_) => {}
                RegionNode::Collective(stmt) => {
                    self.collect_operands(stmt);
                    if let StmtKind::Set { local, .. } = &stmt.kind {
                        self.by_local.insert(*local, LocalUse::Multiple);
                    }
                }
                RegionNode::GridStride(stride) => {
                    let body: Vec<&Stmt> = stride.body.iter().collect();
                    self.collect_region(&body, true);
                    // The counter belongs to the loop.
                    self.by_local.remove(&stride.index);
                }
                RegionNode::If(stmt, then, otherwise) => {
                    self.collect_operands(stmt);
                    self.collect(then, in_loop);
                    self.collect(otherwise, in_loop);
                }
                RegionNode::Loop(stmt, body, update) => {
                    self.collect_operands(stmt);
                    self.collect(body, true);
                    self.collect(update, true);
                }
                RegionNode::Labeled(_, body) | RegionNode::Warps(body) => self.collect(body, in_loop),
                RegionNode::Switch(stmt, cases) => {
                    self.collect_operands(stmt);
                    for body in cases {
                        self.collect(body, in_loop);
                    }
                }
            }
        }
    }

    /// Operands outside of regions are evaluated for one thread.
    fn collect_operands(&mut self, stmt: &Stmt) {
        for expr in operands(&stmt.kind) {
            visit_expr(expr, None, &mut |it, _| {
                if let ExprKind::Local(local) = it.kind {
                    self.by_local.insert(local, LocalUse::Multiple);
                }
            });
        }
    }

    fn collect_region(&mut self, stmts: &[&Stmt], in_loop: bool) {
        self.runs += 1;
        let run = self.runs;
        for local in mentioned(stmts) {
            let carried = in_loop && !is_assigned_first(stmts.iter().copied(), local);
            let site = match self.by_local.get(&local) {
                None => LocalUse::Single { run, carried },
                Some(LocalUse::Single { run: other, carried: before }) if *other == run => {
                    LocalUse::Single { run, carried: carried || *before }
                }
                Some(_) => LocalUse::Multiple,
            };
            self.by_local.insert(local, site);
        }
    }
}

/// Locals read or written in statements.
pub fn mentioned(stmts: &[&Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    for stmt in stmts {
        let list = std::slice::from_ref(*stmt);
        visit_stmts(list, &mut |it| {
            if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &it.kind {
                found.insert(*local);
            }
        });
        visit_exprs(list, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind {
                found.insert(local);
            }
        });
    }
    found
}

/// The first use of a local.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstUse {
    Unused,
    Assigned,
    /// Assigned on some paths, and not read on the others.
    MaybeAssigned,
    Read,
}

/// Whether every read of a local follows an assignment in the same statements.
pub fn is_assigned_first<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> bool {
    first_use(stmts, local) != FirstUse::Read
}

/// Whether every path through statements begins with an assignment of a local.
pub fn is_always_assigned<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> bool {
    first_use(stmts, local) == FirstUse::Assigned
}

fn first_use<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> FirstUse {
    let mut state = FirstUse::Unused;
    for stmt in stmts {
        let mut reads = false;
        for expr in operands(&stmt.kind) {
            visit_expr(expr, None, &mut |it, _| {
                reads |= matches!(it.kind, ExprKind::Local(id) if id == local)
            });
        }
        if reads || matches!(&stmt.kind, StmtKind::SetStructField { local: id, .. } if *id == local) {
            return FirstUse::Read;
        }
        if matches!(&stmt.kind, StmtKind::Set { local: id, .. } if *id == local) {
            return FirstUse::Assigned;
        }
        if let StmtKind::Loop { body, update, .. } = &stmt.kind {
            // The update follows the body.
            match first_use(body.iter().chain(update), local) {
                FirstUse::Read => return FirstUse::Read,
                FirstUse::Unused => {}
                _ => state = FirstUse::MaybeAssigned,
            }
            continue;
        }
        let inner: Vec<FirstUse> =
            bodies(&stmt.kind).into_iter().map(|body| first_use(body.iter(), local)).collect();
        if inner.contains(&FirstUse::Read) {
            return FirstUse::Read;
        }
        let everywhere = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Block(_));
        if everywhere && !inner.is_empty() && inner.iter().all(|it| *it == FirstUse::Assigned) {
            return FirstUse::Assigned;
        }
        if inner.iter().any(|it| *it != FirstUse::Unused) {
            state = FirstUse::MaybeAssigned;
        }
    }
    state
}
