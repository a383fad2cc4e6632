//! Memory effects of shared-rail initialisers, and the barriers that are needed between them.

use super::access_summary::is_rail_like;
use super::expressions::scalar_bytes;
use super::init_barrier::{needs_barrier, overwritten_rails};
use super::ir::{Branch, KernelIr, LoopNode, Node, SharedPlan, SharedRailPlan};
use crate::analysis::constants::constant_value;
use apg_mir::walk::{visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;

/// Shared rails up to this size become variables of the block function; larger ones stay in the worker's
/// memory: bytes of all of them.
const MAX_BLOCK_RAIL_BYTES: i64 = 8192;

/// Plans the shared rails of a kernel.
pub(super) fn run(ir: &mut KernelIr) {
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

/// Memory effects of an initialiser.
#[derive(Clone, Copy, Default)]
pub struct InitEffects {
    /// Uses other shared rails.
    shared: bool,
    /// May read rails.
    reads: bool,
    /// May write rails.
    writes: bool,
}

impl InitEffects {
    /// Effects of one initialiser.
    pub fn of(kernel: &Kernel, init: &SharedInit) -> InitEffects {
        let mut found = InitEffects::default();
        let mut look = |it: &Expr, _: Option<&Expr>| match &it.kind {
            ExprKind::Local(local) => {
                found.shared |= kernel.shared.iter().any(|it| it.local == *local);
                found.reads |= is_rail_like(it);
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zero
            | ExprKind::Operation { .. }
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Select { .. }
            | ExprKind::StructField { .. }
            | ExprKind::MakeStruct(_)
            | ExprKind::Length { .. }
            | ExprKind::Element { .. } => {}
            // Functions and atomic operations.
            _ => (found.reads, found.writes) = (true, true),
        };
        match init {
            SharedInit::Zero => {}
            SharedInit::Copy(_) => found.reads = true,
            SharedInit::Value(value) => visit_expr(value, None, &mut look),
            SharedInit::Function { setup, value, .. } => {
                visit_exprs(setup, &mut look);
                visit_expr(value, None, &mut look);
                visit_stmts(setup, &mut |stmt| found.writes |= !changes_only_locals(stmt));
            }
        }
        found
    }

    /// Whether it affects and observes its own thread only.
    pub fn is_own(self) -> bool {
        !self.shared && !self.reads && !self.writes
    }

    /// Whether `before` must be complete in all threads first.
    fn follows(self, before: InitEffects) -> bool {
        self.shared || before.writes && (self.reads || self.writes) || before.reads && self.writes
    }
}

/// Whether a barrier is needed between the initialisers before this one and this one.
fn needs_barrier_before(kernel: &Kernel, number: usize) -> bool {
    let all: Vec<InitEffects> =
        kernel.shared[..=number].iter().map(|it| InitEffects::of(kernel, &it.init)).collect();
    all[..number].iter().any(|before| all[number].follows(*before))
}

/// Whether a statement itself changes only locals.
fn changes_only_locals(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Set { .. }
            | StmtKind::SetStructField { .. }
            | StmtKind::Expr(_)
            | StmtKind::Block(_)
            | StmtKind::If { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Switch { .. }
            | StmtKind::Labeled { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
    )
}
