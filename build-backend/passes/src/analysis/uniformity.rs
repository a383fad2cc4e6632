//! Block-uniform values: values that are the same in all threads of a block (Coutinho and others, *Divergence
//! Analysis and Optimizations*, PACT 2011; docs/contributing/analyses/uniformity.md).
//!
//! The analysis is that of the kernel model; here assignments of MIR are lowered to it.

use apg_kernels::{Expr as Value, Kernel as Model, Stmt as Assignment, Test, Uniformity as Solution};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::access_summary::AccessSummary;
use apg_mir::walk::visit_stmts;
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
    /// The locals among `candidates` that are uniform: those whose values depend on no varying value.
    /// Candidates are assigned only where all threads of a block, or of a warp that has the local for itself,
    /// arrive together, so that they have no sync dependences.
    pub(crate) fn find_uniform(
        kernel: &Kernel,
        accesses: &AccessSummary,
        candidates: FxHashSet<LocalId>,
    ) -> FxHashSet<LocalId> {
        let known = Uniformity::default();
        let mut dependences = Dependences::new(kernel, accesses, &known, candidates);
        visit_stmts(&kernel.body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &stmt.kind {
                dependences.depend(*local, [value]);
            }
        });
        dependences.solve()
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
            self.is_uniform_local(kernel, local) || more.contains(&local)
        })
    }

    fn is_uniform_local(&self, kernel: &Kernel, local: LocalId) -> bool {
        is_predefined_uniform(kernel, local) || self.uniform.contains(&local)
    }
}

/// The values that locals depend on, as a kernel model of assignments. Each is in a list of its own, so that
/// it counts wherever the local is read.
pub(crate) struct Dependences<'k> {
    kernel: &'k Kernel,
    accesses: &'k AccessSummary,
    known: &'k Uniformity,
    candidates: FxHashSet<LocalId>,
    model: Model<LocalId, ()>,
}

impl<'k> Dependences<'k> {
    /// No dependences of `candidates` yet. Other locals are uniform as far as `known` says so.
    pub(crate) fn new(
        kernel: &'k Kernel,
        accesses: &'k AccessSummary,
        known: &'k Uniformity,
        candidates: FxHashSet<LocalId>,
    ) -> Dependences<'k> {
        Dependences { kernel, accesses, known, candidates, model: Model::default() }
    }

    /// Records what a local depends on: a value that it gets (data dependence), and the conditions that
    /// decide whether it does (sync dependence).
    pub(crate) fn depend<'e>(&mut self, local: LocalId, on: impl IntoIterator<Item = &'e Expr>) {
        if self.candidates.contains(&local) {
            let value = Value::Function(on.into_iter().map(|it| self.lower(it)).collect());
            self.assign(local, value);
        }
    }

    /// Records that a local varies.
    pub(crate) fn vary(&mut self, local: LocalId) {
        self.assign(local, Value::Unknown);
    }

    /// The candidates that are uniform: the least solution of the dependences.
    pub(crate) fn solve(self) -> FxHashSet<LocalId> {
        let solution = Solution::new(&self.model);
        self.candidates.into_iter().filter(|it| solution.is_uniform(&Test::Variable(*it))).collect()
    }

    fn assign(&mut self, local: LocalId, value: Value<LocalId, ()>) {
        self.model.body.push(vec![Assignment::Sometimes(vec![Assignment::Assign(local, value)])]);
    }

    fn lower(&self, expr: &Expr) -> Value<LocalId, ()> {
        let mut operands = Vec::new();
        let is_function = visit_dependences(self.kernel, self.accesses, expr, &mut |local| {
            if self.candidates.contains(&local) {
                operands.push(Value::Variable(local, None));
                return true;
            }
            self.known.is_uniform_local(self.kernel, local)
        });
        if is_function { Value::Function(operands) } else { Value::Unknown }
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
            // Only arrays that no thread changes meanwhile.
            let capture = kernel.captures.get(local.index()).map(|it| it.kind);
            let copied = matches!(
                capture,
                Some(KernelCaptureKind::Buffer { .. } | KernelCaptureKind::ConstantBuffer { .. })
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
