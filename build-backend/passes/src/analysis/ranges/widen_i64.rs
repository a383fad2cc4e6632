//! Widening of 32-bit index arithmetic to 64 bits on CPUs. A compiler that must let 32 bits wrap does not see
//! that adjacent threads access adjacent elements. The result is the same if neither the index nor its locals
//! exceed 32 bits, which the host verifies at launch.

use apg_symbolic::SymExpr;
use rustc_hash::{FxHashMap, FxHashSet};

use super::BoundsChecker;
use super::evaluate::type_range;
use super::form::Assumptions;
use apg_mir::*;

/// State of the analysis.
#[derive(Default)]
pub(super) struct WidenAnalysis {
    /// Assumptions under which the values of a local were computed without exceeding 32 bits; `None` if
    /// unknown.
    locals: FxHashMap<LocalId, Option<Assumptions>>,
    /// Launch conditions of indices; `None` if they cannot be widened.
    found: FxHashMap<ExprId, Option<Vec<SymExpr>>>,
}

impl WidenAnalysis {
    /// Indices that can be widened, and their launch conditions.
    pub(super) fn finish(self) -> (FxHashSet<ExprId>, Vec<SymExpr>) {
        let (mut indices, mut conditions) = (FxHashSet::default(), Vec::new());
        for (index, needs) in self.found {
            if let Some(needs) = needs {
                indices.insert(index);
                conditions.extend(needs);
            }
        }
        conditions.sort_unstable();
        (indices, conditions)
    }
}

/// Visits the operands that is_wide does not accept.
pub(super) fn visit_leaves<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Operation { operation, args } if is_wide(*operation, expr.ty, args) => {
            for arg in args {
                visit_leaves(arg, f);
            }
        }
        _ => f(expr),
    }
}

/// Whether an operation can be done with 64 bits.
pub fn is_wide(operation: Operation, ty: Ty, args: &[Expr]) -> bool {
    let integer = |ty: Ty| matches!(ty, Ty::I32 | Ty::I64);
    integer(ty)
        && args.iter().all(|it| integer(it.ty))
        && matches!(
            operation,
            Operation::Add | Operation::Sub | Operation::Mul | Operation::Neg | Operation::Convert
        )
}

impl BoundsChecker<'_> {
    /// Assumptions under which an expression has the same value with 64 bits.
    fn wide_assumptions(&mut self, expr: &Expr) -> Option<Assumptions> {
        let mut found = Vec::new();
        visit_leaves(expr, &mut |it| found.push(it));
        let mut assumptions = self.captured_assumptions(expr)?;
        for leaf in found {
            let ExprKind::Local(local) = leaf.kind else { continue };
            let known = self.wide.locals.get(&local).cloned();
            assumptions.extend(&known.unwrap_or(Some(Assumptions::default()))?);
            if leaf.ty == Ty::I32 {
                assumptions.extend(&self.evaluate_exact(leaf)?.0.assumptions);
            }
        }
        Some(assumptions)
    }

    /// Assumptions under which arithmetic on captures alone does not wrap: the host evaluates it as the
    /// program does, wrapped or not.
    fn captured_assumptions(&mut self, expr: &Expr) -> Option<Assumptions> {
        let mut assumptions = Assumptions::default();
        let ExprKind::Operation { operation, args } = &expr.kind else { return Some(assumptions) };
        if !is_wide(*operation, expr.ty, args) {
            return Some(assumptions);
        }
        if expr.ty == Ty::I32 && self.is_uniform(expr) {
            assumptions.extend(&self.evaluate_exact_operands(expr)?.0.assumptions);
        }
        for arg in args {
            assumptions.extend(&self.captured_assumptions(arg)?);
        }
        Some(assumptions)
    }

    /// Considers an index.
    pub(super) fn widen(&mut self, index: &Expr) {
        let uses_guards = std::mem::replace(&mut self.uses_guards, false);
        let assumptions = self.wide_assumptions(index).and_then(|mut assumptions| {
            assumptions.extend(&self.evaluate_exact(index)?.0.assumptions);
            Some(assumptions)
        });
        self.uses_guards = uses_guards;
        self.record_wide(index, assumptions);
    }

    /// Records the step of a counter that does not wrap under these assumptions.
    pub(super) fn steps_exactly(&mut self, value: &Expr, assumptions: &Assumptions) {
        self.record_wide(value, Some(assumptions.clone()));
    }

    fn record_wide(&mut self, expr: &Expr, assumptions: Option<Assumptions>) {
        if !expr.id.is_assigned() {
            return;
        }
        let conditions = assumptions.map(|assumptions| {
            assumptions.conditions().map(|it| self.where_reached(it)).collect::<Vec<SymExpr>>()
        });
        match self.wide.found.entry(expr.id).or_insert_with(|| Some(Vec::new())) {
            Some(all) if let Some(more) = conditions => all.extend(more),
            other => *other = None,
        }
    }

    /// Considers an assignment.
    pub(super) fn widen_assignment(&mut self, local: LocalId, value: &Expr) {
        if !matches!(value.ty, Ty::I32 | Ty::I64) || type_range(value.ty).is_none() {
            return;
        }
        let uses_guards = std::mem::replace(&mut self.uses_guards, false);
        let assumptions = self.wide_assumptions(value);
        self.uses_guards = uses_guards;
        match self.wide.locals.entry(local).or_insert_with(|| Some(Assumptions::default())) {
            Some(all) if let Some(more) = &assumptions => all.extend(more),
            other => *other = None,
        }
    }
}
