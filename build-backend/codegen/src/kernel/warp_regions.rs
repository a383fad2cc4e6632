//! What each warp of a block does by itself on a processor: a branch or loop in which the threads of a warp meet, where it may go another way
//! than other warps. One warp after the other goes through all of it, and each run inside is a loop over the threads of that warp.

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

/// Whether threads meet in a statement, and only those of a warp.
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

/// Whether what warps do by themselves sets a local.
pub fn is_assigned_in(warps: &[&Stmt], local: LocalId) -> bool {
    let mut found = false;
    for stmt in warps {
        visit_stmts(std::slice::from_ref(*stmt), &mut |it| {
            found |= matches!(&it.kind, StmtKind::Set { local: id, .. } if *id == local);
        });
    }
    found
}

/// A local that warps set by themselves has one value for all threads of a warp at most, and so only if nothing else speaks of it. Takes
/// the others away.
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
    /// One warp after the other.
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
        self.nodes(body);
        self.in_warp = false;
        self.code.out.close("}");
    }

    /// Statements for every thread of a warp.
    pub(super) fn print_warp_region(&mut self, stmts: &[&'k Stmt]) {
        self.print_lane_pragmas();
        // Counted from 0, so that compilers know how often.
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
