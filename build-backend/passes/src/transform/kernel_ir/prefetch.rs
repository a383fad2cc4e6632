//! Software prefetching in barrier loops (Mowry, Lam and Gupta, ASPLOS 1992).
//!
//! Precondition: a loop that all threads of a block execute together and whose body has barriers. Its
//! iterations (planes of a stencil, tiles of a product) touch distant memory in short rows. Hardware
//! prefetchers miss such rows, and a core sustains only a few outstanding misses by itself. The loop
//! therefore prefetches a row at a time, between the rows of the longest parallel region of the iteration.
//! Short iterations prefetch several iterations ahead.

use crate::analysis::kernel_ir::induction::LoopInductions;
use crate::kernel_ir::chunk_threads;
use crate::kernel_ir::{Branch, KernelIr, LoopNode, Node, PrefetchCandidate, PrefetchPlan};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Upper limit of prefetches per iteration: more of them evict each other and what the iteration reads.
const MAX_PREFETCHES_PER_LOOP: usize = 24;
/// Bytes of a cache line.
const CACHE_LINE_BYTES: i64 = 64;
/// Trip count of an inner loop whose trip count is unknown, for estimates.
const ASSUMED_TRIP_COUNT: usize = 8;

/// Plans the prefetches of the loops of a kernel.
pub(crate) fn run(ir: &mut KernelIr) {
    // Rows of one or two threads are too short to be prefetched.
    if chunk_threads(&ir.kernel).is_some() {
        ir.edit_nodes(|ir, nodes| prefetch_nodes(ir, nodes));
    }
}

fn prefetch_nodes(ir: &KernelIr, nodes: &mut [Node]) {
    for node in nodes {
        match node {
            Node::Loop(repeat) => {
                prefetch_loop(ir, repeat);
                prefetch_nodes(ir, &mut repeat.body);
                prefetch_nodes(ir, &mut repeat.update);
            }
            Node::If(Branch { then, otherwise, .. }) => {
                prefetch_nodes(ir, then);
                prefetch_nodes(ir, otherwise);
            }
            Node::Labeled(_, body) => prefetch_nodes(ir, body),
            Node::Switch(switch) => switch.cases.iter_mut().for_each(|it| prefetch_nodes(ir, &mut it.1)),
            // Warps have no rows; unrolled loops are short.
            _ => {}
        }
    }
}

/// Plans the prefetches of a loop: between the rows of the longest region of the iteration; all at once if
/// the iteration has no region, or if blocks have one axis.
fn prefetch_loop(ir: &KernelIr, repeat: &mut LoopNode) {
    let Some(source) = ir.source(repeat.source) else { return };
    let inductions = LoopInductions::of(ir, source);
    let mut candidates = Vec::new();
    if !inductions.steps.is_empty() {
        inductions.collect_candidates(&repeat.body, &mut candidates);
    }
    if !(1..=MAX_PREFETCHES_PER_LOOP).contains(&count_candidates(&candidates)) {
        return;
    }
    let accesses = repeat.body.iter().map(estimate_accesses).sum();
    let line_threads = CACHE_LINE_BYTES / widest_element_bytes(&inductions, &candidates);
    let has_rows = ir.kernel.thread_locals.len() > 1;
    let LoopInductions { steps, recomputed, .. } = inductions;
    let regions = repeat.body.iter_mut().filter(|it| matches!(it, Node::Region(_)));
    let longest = regions.max_by_key(|it| estimate_accesses(it)).filter(|_| has_rows);
    let between_rows = longest.is_some();
    if let Some(Node::Region(longest)) = longest {
        longest.prefetches_rows = true;
    }
    repeat.prefetch =
        Some(PrefetchPlan { steps, recomputed, candidates, accesses, line_threads, between_rows });
}

/// Estimated number of memory accesses of a thread in part of an iteration.
fn estimate_accesses(node: &Node) -> usize {
    let all = |nodes: &[Node]| nodes.iter().map(estimate_accesses).sum::<usize>();
    match node {
        Node::Region(region) => region.stmts().iter().map(estimate_stmt_accesses).sum(),
        Node::GridStride(stride) => {
            ASSUMED_TRIP_COUNT * stride.schedule.stmts().iter().map(estimate_stmt_accesses).sum::<usize>()
        }
        Node::If(branch) => all(&branch.then) + all(&branch.otherwise),
        Node::Loop(LoopNode { body, update, .. }) => ASSUMED_TRIP_COUNT * (all(body) + all(update)),
        Node::Unrolled(unrolled) => {
            ASSUMED_TRIP_COUNT * (all(&unrolled.rolled.body) + all(&unrolled.rolled.update))
        }
        Node::Labeled(_, body) | Node::Warps(body) => all(body),
        Node::Switch(switch) => switch.cases.iter().map(|it| all(&it.1)).sum(),
        Node::Barrier | Node::Uniform(_) | Node::Offset(_) | Node::Collective(_) | Node::Jump(_) => 0,
    }
}

fn estimate_stmt_accesses(stmt: &Stmt) -> usize {
    let mut found = 0;
    let this = std::slice::from_ref(stmt);
    visit_exprs(this, &mut |it, _| found += usize::from(matches!(it.kind, ExprKind::Element { .. })));
    visit_stmts(this, &mut |it| match &it.kind {
        StmtKind::SetElement { .. } => found += 1,
        StmtKind::Loop { body, .. } => {
            found += (ASSUMED_TRIP_COUNT - 1) * body.iter().map(estimate_stmt_accesses).sum::<usize>()
        }
        _ => {}
    });
    found
}

fn count_candidates(candidates: &[PrefetchCandidate]) -> usize {
    let of = |candidate: &PrefetchCandidate| match candidate {
        PrefetchCandidate::Element { .. } => 1,
        PrefetchCandidate::If(_, then, otherwise) => count_candidates(then) + count_candidates(otherwise),
    };
    candidates.iter().map(of).sum()
}

/// Size of the widest element in bytes.
fn widest_element_bytes(inductions: &LoopInductions<'_>, candidates: &[PrefetchCandidate]) -> i64 {
    let of = |candidate: &PrefetchCandidate| match candidate {
        PrefetchCandidate::Element { rail, .. } => inductions.element_bytes(*rail).unwrap_or(1),
        PrefetchCandidate::If(_, then, otherwise) => {
            widest_element_bytes(inductions, then).max(widest_element_bytes(inductions, otherwise))
        }
    };
    candidates.iter().map(of).max().unwrap_or(1)
}
