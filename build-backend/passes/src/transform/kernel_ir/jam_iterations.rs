//! Unroll-and-jam of grid-stride loops (Allen and Kennedy, *Optimizing Compilers for Modern Architectures*,
//! 8.4): several iterations are executed together while enough are left, so that accumulators are loaded and
//! stored once for all of them. Each thread executes its iterations in order.

use crate::kernel_ir::chunk_threads;
use crate::kernel_ir::{Branch, JammedIterations, KernelIr, LoopNode, Node, Schedule};
use crate::transform::kernel_ir::uniform_loads::find_uniform_loads;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Upper limit of expressions in a body of which several iterations are executed together.
const MAX_JAMMED_BODY_EXPRESSIONS: usize = 40;

/// Iterations that are executed together in loops that accumulate.
const JAMMED_ITERATIONS: i64 = 4;

/// Jams the iterations of loops that accumulate.
pub(crate) fn run(ir: &mut KernelIr) {
    if chunk_threads(&ir.kernel).is_some() {
        ir.edit_nodes(|ir, nodes| jam_nodes(ir, nodes));
    }
}

fn jam_nodes(ir: &KernelIr, nodes: &mut [Node]) {
    for node in nodes {
        match node {
            Node::GridStride(stride) => {
                if let Schedule::Threads(body) = &stride.schedule
                    && is_accumulation(ir, body)
                {
                    let loads = find_uniform_loads(ir, body, &[]);
                    stride.jam = Some(JammedIterations { count: JAMMED_ITERATIONS, loads });
                }
            }
            Node::Loop(LoopNode { body: first, update: second, .. })
            | Node::If(Branch { then: first, otherwise: second, .. }) => {
                jam_nodes(ir, first);
                jam_nodes(ir, second);
            }
            Node::Labeled(_, body) => jam_nodes(ir, body),
            Node::Switch(switch) => switch.cases.iter_mut().for_each(|it| jam_nodes(ir, &mut it.1)),
            _ => {}
        }
    }
}

/// Whether a body is short, assigns locals only, and one of them is carried from iteration to iteration.
fn is_accumulation(ir: &KernelIr, body: &[Stmt]) -> bool {
    let (mut plain, mut keeps, mut weight) = (true, false, 0);
    visit_stmts(body, &mut |it| match &it.kind {
        StmtKind::Set { local, .. } => {
            keeps |= ir.is_in_context_array(*local);
            plain &= !ir.private_rails.contains_key(local);
        }
        StmtKind::Block(_) | StmtKind::If { .. } | StmtKind::Expr(_) => {}
        _ => plain = false,
    });
    visit_exprs(body, &mut |it, _| {
        weight += 1;
        plain &= !matches!(
            it.kind,
            ExprKind::Call { .. }
                | ExprKind::CallPointer { .. }
                | ExprKind::Load(_)
                | ExprKind::Atomic { .. }
        );
    });
    plain && keeps && weight <= MAX_JAMMED_BODY_EXPRESSIONS
}
