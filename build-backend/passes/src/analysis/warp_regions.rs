//! Warp regions on CPUs: branches and loops that synchronise the threads of a warp, and whose conditions may
//! differ between the warps of a block. One warp after the other executes the whole region; each parallel
//! region inside is a loop over the lanes of the warp.

use rustc_hash::FxHashMap;

use crate::analysis::locals::{count_mentions, is_assigned_first};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Whether a statement synchronises the threads of warps, and not those of blocks.
pub(crate) fn synchronises_warps_only(stmt: &Stmt) -> bool {
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

/// Whether warp regions assign a local.
pub(crate) fn is_assigned_in(warps: &[&Stmt], local: LocalId) -> bool {
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
pub(crate) fn retain_warp_private(kernel: &Kernel, warps: &[&Stmt], locals: &mut FxHashMap<LocalId, usize>) {
    if warps.is_empty() {
        return;
    }
    let all = count_mentions(&kernel.body);
    for stmt in warps {
        let inside = count_mentions(std::slice::from_ref(*stmt));
        locals.retain(|local, _| {
            let is_own =
                inside.get(local) == all.get(local) && is_assigned_first(std::iter::once(*stmt), *local);
            is_own || !is_assigned_in(&[*stmt], *local)
        });
    }
}
