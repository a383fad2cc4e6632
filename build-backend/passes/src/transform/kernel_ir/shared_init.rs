//! Plan of shared arrays: their place, which initial values are dead, and the barriers between initialisers.

use crate::analysis::constants::{constant_block_size, constant_value};
use crate::analysis::expressions::scalar_bytes;
use crate::analysis::init_barrier::{needs_barrier, overwritten_rails};
use crate::analysis::init_effects::InitEffects;
use crate::kernel_ir::{Branch, Fill, KernelIr, LoopNode, Node, SharedArrayPlan, SharedPlan};
use apg_mir::*;

/// Shared arrays up to this size become variables of the block function; larger ones stay in the worker's
/// memory: bytes of all of them.
const MAX_BLOCK_RAIL_BYTES: i64 = 8192;

/// Plans the shared arrays of a kernel.
pub(crate) fn run(ir: &mut KernelIr) {
    let kernel = &ir.kernel;
    let overwritten = overwritten_rails(kernel);
    let variables = if has_unrolled_loop(&ir.nodes) { block_variables(kernel) } else { Vec::new() };
    let threads = constant_block_size(kernel);
    let mut has_constant_offset = true;
    let rails = kernel.shared.iter().enumerate().map(|(number, rail)| {
        let length = kernel.host.shared_lengths.get(number).and_then(constant_value).filter(|it| *it >= 0);
        let plan = SharedArrayPlan {
            local: rail.local,
            block_variable: variables.iter().find(|it| it.0 == rail.local).map(|it| it.1),
            is_overwritten: overwritten.contains(&rail.local),
            barrier_before: needs_barrier_before(kernel, number),
            length,
            has_constant_offset,
            fill: length.zip(threads).map_or(Fill::WhileBelowLength, |it| counted_fill(it.0, it.1)),
        };
        has_constant_offset &= length.is_some();
        plan
    });
    ir.shared = SharedPlan { rails: rails.collect(), barrier_after: needs_barrier(kernel) };
}

/// The loop that initialises `length` elements with a number of threads.
fn counted_fill(length: i64, threads: i64) -> Fill {
    let is_even = length % threads == 0;
    Fill::Counted {
        trip_count: length / threads + i64::from(!is_even),
        threads,
        guard: (!is_even).then_some(length),
    }
}

/// Arrays that are small enough for variables, with their lengths.
fn block_variables(kernel: &Kernel) -> Vec<(LocalId, i64)> {
    let (mut found, mut room) = (Vec::new(), MAX_BLOCK_RAIL_BYTES);
    for (rail, length) in kernel.shared.iter().zip(&kernel.host.shared_lengths) {
        let (Some(bytes), Some(length)) = (scalar_bytes(rail.element), constant_value(length)) else {
            continue;
        };
        if (1..=room / bytes).contains(&length) {
            room -= length * bytes;
            found.push((rail.local, length));
        }
    }
    found
}

/// Whether a loop in which blocks synchronise is unrolled.
fn has_unrolled_loop(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Unrolled(unrolled) => !unrolled.by_warps,
        Node::Loop(LoopNode { body, .. }) | Node::Labeled(_, body) => has_unrolled_loop(body),
        Node::If(Branch { then, otherwise, .. }) => has_unrolled_loop(then) || has_unrolled_loop(otherwise),
        _ => false,
    })
}

/// Whether a barrier is needed between the initialisers before this one and this one.
fn needs_barrier_before(kernel: &Kernel, number: usize) -> bool {
    let all: Vec<InitEffects> =
        kernel.shared[..=number].iter().map(|it| InitEffects::of(kernel, &it.init)).collect();
    all[..number].iter().any(|before| all[number].follows(*before))
}
