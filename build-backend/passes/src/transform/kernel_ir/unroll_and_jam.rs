//! Unroll-and-jam of chunks (Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, 8.4): short
//! bodies jam several rows of the block, or several vectors of a row, into a chunk. Their accumulations are
//! independent and hide each other's latency, and often read the same elements.

use rustc_hash::FxHashSet;

use crate::analysis::constants::constant_value;
use crate::analysis::kernel_ir::access_stride::thread_stride;
use crate::kernel_ir::{CHUNK_THREADS, chunk_threads};
use crate::kernel_ir::{Chunks, KernelIr, Threads, UnrollAndJam};
use crate::transform::kernel_ir::loop_fission::edit_chunks;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Chooses how many vectors of threads make a chunk: as many as registers hold, if the body certainly
/// vectorises.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_schedules(&mut |ir, schedule, threads| {
        if threads == Threads::OfBlock {
            edit_chunks(schedule, &mut |chunks| chunks.jam = choose_jam(ir, chunks));
        }
    });
}

fn choose_jam(ir: &KernelIr, chunks: &Chunks) -> UnrollAndJam {
    if chunks.is_aligned || chunks.expanded.iter().any(|it| ir.private_rails.contains_key(&it.local)) {
        return UnrollAndJam::NONE;
    }
    let most = match (chunks.expanded.len(), weigh_vectorizable(ir, chunks)) {
        (..=4, Some(..=120)) => 4,
        (..=8, Some(..=200)) => 2,
        _ => 1,
    };
    let size = chunk_threads(&ir.kernel).unwrap_or(CHUNK_THREADS);
    let fits = |axis: usize, threads: i64| {
        let extent = ir.kernel.host.threads.iter().rev().nth(axis).and_then(constant_value);
        extent.is_some_and(|it| it % threads == 0)
    };
    let has_rows = ir.kernel.thread_locals.len() > 1;
    for rows in [4, 2].into_iter().filter(|it| *it <= most) {
        if has_rows && fits(1, rows) {
            return UnrollAndJam { rows, axis: 1 };
        }
        if !has_rows && fits(0, size * rows) {
            return UnrollAndJam { rows, axis: 0 };
        }
    }
    UnrollAndJam::NONE
}

/// Number of expressions of the statements; `None` if the compiler may not vectorise them.
fn weigh_vectorizable(ir: &KernelIr, chunks: &Chunks) -> Option<usize> {
    let uniform: FxHashSet<LocalId> = chunks.uniform.iter().copied().collect();
    let fastest = ir.kernel.thread_locals.last().copied().unwrap_or(LocalId(0));
    let is_near = |index: &Expr| {
        let stride = thread_stride(ir, &uniform, fastest, index);
        ir.is_inside(index) && stride.is_some_and(|it| it.abs() <= 1)
    };
    let (mut weight, mut plain) = (0, true);
    visit_stmts(&chunks.stmts, &mut |it| match &it.kind {
        StmtKind::SetElement { index, .. } => plain &= is_near(index),
        StmtKind::Store { .. } => plain = false,
        _ => {}
    });
    visit_exprs(&chunks.stmts, &mut |it, _| {
        weight += 1;
        match &it.kind {
            ExprKind::Element { index, .. } => plain &= is_near(index),
            ExprKind::Call { .. }
            | ExprKind::CallPointer { .. }
            | ExprKind::Load(_)
            | ExprKind::Atomic { .. }
            | ExprKind::Runtime { .. } => plain = false,
            _ => {}
        }
    });
    plain.then_some(weight)
}
