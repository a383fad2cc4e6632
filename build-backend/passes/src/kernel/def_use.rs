//! Def-use summary of the locals of a region tree: in which regions they are used, and whether their first
//! use is an assignment.

use rustc_hash::FxHashMap;

use super::locals::{is_assigned_first, mentioned_locals};
use super::region_node::RegionNode;
use apg_mir::walk::{operands, visit_expr};
use apg_mir::*;

/// Uses of a local.
#[derive(Clone, Copy)]
pub enum LocalUse {
    /// In one region; `carried` from one iteration of an enclosing loop to the next.
    Single {
        /// Number of the region.
        run: usize,
        /// Carried from one iteration of an enclosing loop to the next.
        carried: bool,
    },
    /// In several regions, or outside of them.
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
        for local in mentioned_locals(stmts) {
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
