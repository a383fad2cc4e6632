//! Scalar expansion (Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, 5.3): locals that
//! live across the parts of a fissioned region become arrays with an element for each thread of a chunk.

use crate::analysis::locals::is_always_assigned;
use crate::kernel_ir::{ChunkPart, KernelIr, Storage};
use crate::transform::kernel_ir::loop_fission::{edit_chunks, edit_parts};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Longer private arrays are not copied into a chunk: elements.
const MAX_COPIED_RAIL_ELEMENTS: i64 = 64;

/// Decides which locals are expanded, and which of them are loaded and stored.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_schedules(&mut |ir, schedule, _| {
        edit_chunks(schedule, &mut |chunks| {
            let stmts = &chunks.stmts;
            chunks.expanded.retain(|it| !stays_in_context_array(ir, it.local));
            for expanded in &mut chunks.expanded {
                let local = expanded.local;
                let is_spilled = ir.storage[local.index()] == Storage::ContextArray;
                let is_rail = ir.private_rails.contains_key(&local);
                expanded.is_live_in = is_spilled && (is_rail || !is_always_assigned(stmts.iter(), local));
                expanded.is_live_out = is_spilled && is_written(stmts, local);
            }
            let arrays = chunks.expanded.iter().map(|it| it.local);
            let scalars: Vec<LocalId> = arrays.filter(|it| !ir.private_rails.contains_key(it)).collect();
            edit_parts(&mut chunks.parts, &mut |part| {
                if let ChunkPart::Lanes { stmts, stores, .. } = part {
                    *stores = scalars.iter().copied().filter(|it| is_written(stmts, *it)).collect();
                }
            });
        });
    });
}

fn stays_in_context_array(ir: &KernelIr, local: LocalId) -> bool {
    ir.is_in_context_array(local)
        && ir
            .private_rails
            .get(&local)
            .is_some_and(|it| it.length > MAX_COPIED_RAIL_ELEMENTS || !it.is_interleaved)
}

/// Whether statements assign a local, or elements of an array.
fn is_written(stmts: &[Stmt], local: LocalId) -> bool {
    let is_local = |it: &Expr| matches!(it.kind, ExprKind::Local(id) if id == local);
    let mut found = false;
    visit_stmts(stmts, &mut |it| {
        found |= match &it.kind {
            StmtKind::Set { local: id, .. } | StmtKind::SetStructField { local: id, .. } => *id == local,
            StmtKind::SetElement { rail, .. } => is_local(rail),
            _ => false,
        };
    });
    visit_exprs(stmts, &mut |it, _| {
        found |= matches!(&it.kind, ExprKind::Atomic { rail, .. } if is_local(rail));
    });
    found
}
