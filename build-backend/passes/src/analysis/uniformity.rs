//! Block-uniform values: values that are the same in all threads of a block (Coutinho and others, *Divergence
//! Analysis and Optimizations*, PACT 2011; docs/contributing/analyses/uniformity.md).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::access_summary::AccessSummary;
use apg_mir::walk::visit_stmts;
use apg_mir::*;
use apg_symbolic::uniformity::{DependenceGraph, Uniformity as Level};

/// Result of the uniformity analysis of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uniformity {
    /// Locals that are uniform wherever they are read.
    pub(crate) uniform: FxHashSet<LocalId>,
    /// Number of assignments of each local.
    pub(crate) assignments: FxHashMap<LocalId, usize>,
}

/// Whether a local has one value for the block before the kernel begins.
pub(crate) fn is_predefined_uniform(kernel: &Kernel, local: LocalId) -> bool {
    local.index() < kernel.captures.len()
        || kernel.block_locals.contains(&local)
        || kernel.auto_blocks == Some(local)
        || kernel.auto_threads == Some(local)
}

impl Uniformity {
    /// The locals among `candidates` that are uniform: those whose values depend on no varying value.
    /// Candidates are assigned only where all threads of a block, or of a warp that has the local for itself,
    /// arrive together, so that they have no sync dependences.
    pub(crate) fn find_uniform(
        kernel: &Kernel,
        accesses: &AccessSummary,
        candidates: FxHashSet<LocalId>,
    ) -> FxHashSet<LocalId> {
        let mut graph = DependenceGraph::new(kernel.locals.len());
        for local in (0..kernel.locals.len() as u32).map(LocalId) {
            if !candidates.contains(&local) && !is_predefined_uniform(kernel, local) {
                graph.seed(local.index(), Level::Varying);
            }
        }
        visit_stmts(&kernel.body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &stmt.kind
                && candidates.contains(local)
                && !visit_dependences(kernel, accesses, value, &mut |on| {
                    graph.depend(local.index(), on.index());
                    true
                })
            {
                graph.seed(local.index(), Level::Varying);
            }
        });
        let found = graph.solve();
        candidates.into_iter().filter(|it| found[it.index()].is_block_uniform()).collect()
    }

    /// Whether an expression has the same value in every thread of a block, and no effect, if the locals
    /// `more` are uniform as well.
    pub(crate) fn is_uniform(
        &self,
        kernel: &Kernel,
        accesses: &AccessSummary,
        expr: &Expr,
        more: &FxHashSet<LocalId>,
    ) -> bool {
        visit_dependences(kernel, accesses, expr, &mut |local| {
            is_predefined_uniform(kernel, local) || self.uniform.contains(&local) || more.contains(&local)
        })
    }
}

/// Visits the locals that decide whether an expression is uniform, while `f` holds for them. Returns whether
/// it held, and no other part varies.
fn visit_dependences(
    kernel: &Kernel,
    accesses: &AccessSummary,
    expr: &Expr,
    f: &mut dyn FnMut(LocalId) -> bool,
) -> bool {
    let mut all = |exprs: &[&Expr]| exprs.iter().all(|it| visit_dependences(kernel, accesses, it, f));
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero => true,
        ExprKind::Collective { operation, .. } => operation.is_uniform,
        ExprKind::Local(local) => f(*local),
        ExprKind::Length { rail, .. } => matches!(rail.kind, ExprKind::Local(_)),
        ExprKind::Element { rail, index, .. } => {
            let ExprKind::Local(local) = rail.kind else { return false };
            // Only rails that no thread changes meanwhile.
            let capture = kernel.captures.get(local.index()).map(|it| it.kind);
            let copied = matches!(
                capture,
                Some(KernelCaptureKind::Rail { .. } | KernelCaptureKind::ConstantRail { .. })
            );
            copied && accesses.is_read_only(local) && all(&[index])
        }
        ExprKind::StructField { value, .. } => all(&[value]),
        ExprKind::MakeStruct(args) | ExprKind::Operation { args, .. } => {
            args.iter().all(|it| visit_dependences(kernel, accesses, it, f))
        }
        ExprKind::And(a, b) | ExprKind::Or(a, b) => all(&[a, b]),
        ExprKind::Select { condition, then, otherwise } => all(&[condition, then, otherwise]),
        _ => false,
    }
}
