//! Plan of shared rails: their place, which initial values are dead, and the barriers between initialisers.

use crate::analysis::constants::constant_value;
use crate::analysis::expressions::scalar_bytes;
use crate::analysis::init_barrier::{needs_barrier, overwritten_rails};
use crate::analysis::init_effects::InitEffects;
use crate::kernel_ir::{Branch, KernelIr, LoopNode, Node, SharedPlan, SharedRailPlan};
use apg_mir::*;

/// Shared rails up to this size become variables of the block function; larger ones stay in the worker's
/// memory: bytes of all of them.
const MAX_BLOCK_RAIL_BYTES: i64 = 8192;

/// Plans the shared rails of a kernel.
pub(crate) fn run(ir: &mut KernelIr) {
    let kernel = &ir.kernel;
    let overwritten = overwritten_rails(kernel);
    let variables = if has_unrolled_loop(&ir.nodes) { block_variables(kernel) } else { Vec::new() };
    let rails = kernel.shared.iter().enumerate().map(|(number, rail)| SharedRailPlan {
        local: rail.local,
        block_variable: variables.iter().find(|it| it.0 == rail.local).map(|it| it.1),
        is_overwritten: overwritten.contains(&rail.local),
        barrier_before: needs_barrier_before(kernel, number),
    });
    ir.shared = SharedPlan { rails: rails.collect(), barrier_after: needs_barrier(kernel) };
}

/// Rails that are small enough for variables, with their lengths.
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
