//! Def-use summary of the locals of a region tree: in which regions they are used, and whether their first
//! use is an assignment.

use rustc_hash::FxHashMap;

use crate::analysis::locals::{is_assigned_first, mentioned_locals};
use crate::kernel_ir::{LoopNode, Node};
use apg_mir::walk::{operands, visit_expr};
use apg_mir::*;

/// Uses of a local.
#[derive(Clone, Copy)]
pub(crate) enum LocalUse {
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
pub(crate) struct DefUse {
    /// Uses by local; unused ones have no entry.
    pub(crate) by_local: FxHashMap<LocalId, LocalUse>,
    runs: usize,
}

impl DefUse {
    /// Collects the uses in nodes that `region_formation` has just formed.
    pub(crate) fn collect(&mut self, nodes: &[Node], in_loop: bool) {
        for node in nodes {
            match node {
                Node::Region(region) => self.collect_region(region.stmts(), in_loop),
                Node::Barrier | Node::Uniform(_) | Node::Offset(_) | Node::Jump(_) | Node::Unrolled(_) => {}
                Node::Collective(stmt) => {
                    operands(&stmt.kind).into_iter().for_each(|it| self.collect_operand(it));
                    if let StmtKind::Set { local, .. } = &stmt.kind {
                        self.by_local.insert(*local, LocalUse::Multiple);
                    }
                }
                Node::GridStride(stride) => {
                    self.collect_region(stride.schedule.stmts(), true);
                    // The counter belongs to the loop.
                    self.by_local.remove(&stride.index);
                }
                Node::If(branch) => {
                    self.collect_operand(&branch.condition);
                    self.collect(&branch.then, in_loop);
                    self.collect(&branch.otherwise, in_loop);
                }
                Node::Loop(LoopNode { condition, body, update, .. }) => {
                    self.collect_operand(condition);
                    self.collect(body, true);
                    self.collect(update, true);
                }
                Node::Labeled(_, body) | Node::Warps(body) => self.collect(body, in_loop),
                Node::Switch(switch) => {
                    self.collect_operand(&switch.value);
                    for (_, body) in &switch.cases {
                        self.collect(body, in_loop);
                    }
                }
            }
        }
    }

    /// Operands outside of regions are evaluated for one thread.
    fn collect_operand(&mut self, expr: &Expr) {
        visit_expr(expr, None, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind {
                self.by_local.insert(local, LocalUse::Multiple);
            }
        });
    }

    fn collect_region(&mut self, stmts: &[Stmt], in_loop: bool) {
        self.runs += 1;
        let run = self.runs;
        for local in mentioned_locals(stmts) {
            let carried = in_loop && !is_assigned_first(stmts.iter(), local);
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
