//! Warp regions on CPUs: branches and loops that synchronise the threads of a warp, and whose conditions may
//! differ between the warps of a block. One warp after the other executes the whole region; each parallel
//! region inside is a loop over the lanes of the warp.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cpu::Printer;
use super::def_use::{is_assigned_first, mentioned};
use super::loop_fission::count_mentions;
use super::regions::RegionNode;
use super::workitem_loop::ThreadRange;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Threads of a warp.
const WARP: i64 = 32;

/// Whether a statement synchronises the threads of warps, and not those of blocks.
pub fn synchronises_warps_only(stmt: &Stmt) -> bool {
    let list = std::slice::from_ref(stmt);
    let (mut of_warps, mut of_blocks) = (false, false);
    visit_stmts(list, &mut |it| of_blocks |= matches!(it.kind, StmtKind::Barrier));
    visit_exprs(list, &mut |it, _| {
        if let ExprKind::Collective { operation, .. } = &it.kind {
            of_warps |= operation.is_of_warp();
            of_blocks |= !operation.is_of_warp();
        }
    });
    of_warps && !of_blocks
}

/// Whether all jumps in a statement stay in it.
pub fn has_no_outer_jump(stmt: &Stmt) -> bool {
    let list = std::slice::from_ref(stmt);
    let mut labels = FxHashSet::default();
    visit_stmts(list, &mut |it| {
        if let StmtKind::Loop { label, .. }
        | StmtKind::Switch { label, .. }
        | StmtKind::Labeled { label, .. } = &it.kind
        {
            labels.insert(*label);
        }
    });
    let mut inside = true;
    visit_stmts(list, &mut |it| {
        if let StmtKind::Break(label) | StmtKind::Continue(label) = &it.kind {
            inside &= labels.contains(label);
        }
    });
    inside
}

/// Whether warp regions assign a local.
pub fn is_assigned_in(warps: &[&Stmt], local: LocalId) -> bool {
    let mut found = false;
    for stmt in warps {
        visit_stmts(std::slice::from_ref(*stmt), &mut |it| {
            found |= matches!(&it.kind, StmtKind::Set { local: id, .. } if *id == local);
        });
    }
    found
}

/// Removes the locals that warp regions assign and other code mentions: a warp's value is not that of the
/// block.
pub fn retain_warp_private(kernel: &Kernel, warps: &[&Stmt], locals: &mut FxHashMap<LocalId, usize>) {
    if warps.is_empty() {
        return;
    }
    let all = count_mentions(&kernel.body.iter().collect::<Vec<_>>());
    for stmt in warps {
        let inside = count_mentions(&[*stmt]);
        locals.retain(|local, _| {
            let is_own =
                inside.get(local) == all.get(local) && is_assigned_first(std::iter::once(*stmt), *local);
            is_own || !is_assigned_in(&[*stmt], *local)
        });
    }
}

impl<'k> Printer<'_, '_, 'k> {
    /// Prints a loop over the warps of the block.
    pub(super) fn print_warps(&mut self, body: &[RegionNode<'k>]) {
        let threads = self.kernel.host.threads.iter().map(super::constant);
        let known = threads.into_iter().try_fold(1i64, |all, it| all.checked_mul(it?.max(0)));
        let lanes = match known {
            Some(threads) if threads % WARP == 0 => "32",
            _ => "threads_ - base_ < 32 ? threads_ - base_ : 32",
        };
        self.code.out.open("for (apg_i64 base_ = 0; base_ < threads_; base_ += 32) {");
        self.code.out.line(format!("const apg_i64 lanes_ = {lanes};"));
        self.in_warp = true;
        self.print_nodes(body);
        self.in_warp = false;
        self.code.out.close("}");
    }

    /// Prints a parallel region inside of a warp region.
    pub(super) fn print_warp_region(&mut self, stmts: &[&'k Stmt]) {
        self.print_lane_pragmas();
        // Counted from 0, so that the compiler knows the trip count.
        self.code.out.open("for (apg_i64 lane_ = 0; lane_ < lanes_; ++lane_) {");
        self.code.out.line("const apg_i64 r_ = base_ + lane_;");
        for local in self.kernel.thread_locals.clone() {
            let place = self.code.local(local);
            let (ty, index) = (self.code.ty(place.ty), self.rank_to_index(local));
            self.code.out.line(format!("const {ty} {} = ({ty})({index});", place.text));
            if place.ty == Ty::I32 {
                self.code.widened_locals.insert(local);
                self.code.out.line(format!("const apg_i64 {}_w = {index};", place.text));
            }
        }
        let mentioned = mentioned(stmts);
        self.declare_rematerialized(&mentioned);
        self.declare_private(&mentioned, &|_| true);
        self.print_thread_stmts(&ThreadRange::of_block(), stmts);
        self.code.out.close("}");
        self.code.widened_locals.clear();
    }
}
