//! Block-uniform values: values that are the same in all threads of a block (Coutinho and others, *Divergence
//! Analysis and Optimizations*, PACT 2011).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::access_summary::AccessSummary;
use apg_mir::*;

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
    /// Whether an expression has the same value in every thread of a block, and no effect, if the locals
    /// `more` are uniform as well.
    pub(crate) fn is_uniform(
        &self,
        kernel: &Kernel,
        accesses: &AccessSummary,
        expr: &Expr,
        more: &FxHashSet<LocalId>,
    ) -> bool {
        let is_uniform = |expr: &Expr| self.is_uniform(kernel, accesses, expr, more);
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero => true,
            ExprKind::Collective { operation, .. } => operation.is_uniform,
            ExprKind::Local(local) => {
                is_predefined_uniform(kernel, *local) || self.uniform.contains(local) || more.contains(local)
            }
            ExprKind::Length { rail, .. } => matches!(rail.kind, ExprKind::Local(_)),
            ExprKind::Element { rail, index, .. } => {
                let ExprKind::Local(local) = rail.kind else { return false };
                // Only rails that no thread changes meanwhile.
                let capture = kernel.captures.get(local.index()).map(|it| it.kind);
                let copied = matches!(
                    capture,
                    Some(KernelCaptureKind::Rail { .. } | KernelCaptureKind::ConstantRail { .. })
                );
                copied && accesses.is_read_only(local) && is_uniform(index)
            }
            ExprKind::StructField { value, .. } => is_uniform(value),
            ExprKind::MakeStruct(args) | ExprKind::Operation { args, .. } => args.iter().all(is_uniform),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => is_uniform(a) && is_uniform(b),
            ExprKind::Select { condition, then, otherwise } => {
                is_uniform(condition) && is_uniform(then) && is_uniform(otherwise)
            }
            _ => false,
        }
    }
}
