//! Hoisting of block-uniform loads (loop-invariant code motion; Aho, Lam, Sethi and Ullman, *Compilers*,
//! 9.5): elements of read-only captured arrays with uniform indices are loaded once, in front of the loop
//! over threads.
//!
//! No thread may reach the access, so nothing out of bounds is loaded; an access that may be out of bounds is
//! checked where it is.

use rustc_hash::FxHashSet;

use crate::analysis::expressions::is_same_expr;
use crate::kernel_ir::{ChunkPart, KernelIr, Schedule, UniformLoad};
use crate::transform::kernel_ir::loop_fission::{edit_chunks, edit_parts};
use apg_mir::walk::visit_exprs;
use apg_mir::*;

/// Hoists loads out of the loops over threads: out of each loop over a chunk, and out of all loops of a
/// region without chunks.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_schedules(&mut |ir, schedule, _| {
        let mut has_chunks = false;
        edit_chunks(schedule, &mut |chunks| {
            has_chunks = true;
            let uniform = &chunks.uniform;
            edit_parts(&mut chunks.parts, &mut |part| {
                if let ChunkPart::Lanes { stmts, loads, .. } = part {
                    *loads = find_uniform_loads(ir, stmts, uniform);
                }
            });
        });
        if !is_fissioned(schedule) {
            let loads = find_uniform_loads(ir, schedule.stmts(), &[]);
            *schedule = Schedule::Hoisted { loads, body: schedule.take() };
        }
    });
}

/// Whether chunks execute a region, for all blocks.
fn is_fissioned(schedule: &Schedule) -> bool {
    match schedule {
        Schedule::Proven { proven: inner, .. } | Schedule::FullTile { partial: inner, .. } => {
            is_fissioned(inner)
        }
        Schedule::Chunks(_) => true,
        Schedule::Threads(_) | Schedule::SubRanges(_) | Schedule::Hoisted { .. } => false,
    }
}

/// The uniform loads of statements; `uniform` are further uniform locals.
pub(super) fn find_uniform_loads(ir: &KernelIr, stmts: &[Stmt], uniform: &[LocalId]) -> Vec<UniformLoad> {
    let uniform: FxHashSet<LocalId> = uniform.iter().copied().collect();
    let mut found: Vec<UniformLoad> = Vec::new();
    visit_exprs(stmts, &mut |it, _| {
        let ExprKind::Element { rail, index, .. } = &it.kind else { return };
        let ExprKind::Local(rail) = rail.kind else { return };
        if !ir.is_uniform(it, &uniform) || !ir.is_inside(index) {
            return;
        }
        match found.iter_mut().find(|it| it.rail == rail && is_same_expr(&it.index, index)) {
            Some(load) => load.uses.push(index.id),
            None => {
                let uses = vec![index.id];
                found.push(UniformLoad { rail, index: (**index).clone(), ty: it.ty, uses });
            }
        }
    });
    found
}
