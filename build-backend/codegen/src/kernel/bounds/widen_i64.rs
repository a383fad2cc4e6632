//! Which indices may be computed with 64 bits though the program computes them with 32. A compiler that must let 32 bits wrap does
//! not see that neighbouring threads touch neighbouring elements. The result is the same if neither the index nor a local
//! that it is made of exceeds 32 bits; the host knows that at the launch.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::BoundsChecker;
use super::evaluate::type_range;
use super::symbolic::AssumptionId;
use apg_mir::*;

/// What was found so far.
#[derive(Default)]
pub struct WidenAnalysis {
    /// Under which conditions the values of locals were computed without exceeding 32 bits; none if nothing is known.
    locals: FxHashMap<LocalId, Option<BTreeSet<AssumptionId>>>,
    /// Accesses: their conditions.
    found: FxHashMap<*const Expr, Option<Vec<String>>>,
}

impl WidenAnalysis {
    /// Indices, by address.
    pub fn indices(&self) -> FxHashSet<*const Expr> {
        self.found.iter().filter(|it| it.1.is_some()).map(|it| *it.0).collect()
    }

    /// All conditions.
    pub fn conditions(&self) -> Vec<String> {
        let all: BTreeSet<&String> = self.found.values().flatten().flatten().collect();
        all.into_iter().cloned().collect()
    }
}

/// Calls `f` with the parts of an expression that [`Code::wide`](super::super::super::code::Code::wide) does not look into.
pub fn visit_leaves<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Operation { operation, args } if is_wide(*operation, expr.ty, args) => {
            for arg in args {
                visit_leaves(arg, f);
            }
        }
        _ => f(expr),
    }
}

/// Whether an operation is done with 64 bits.
pub fn is_wide(operation: Operation, ty: Ty, args: &[Expr]) -> bool {
    let integer = |ty: Ty| matches!(ty, Ty::I32 | Ty::I64);
    integer(ty)
        && args.iter().all(|it| integer(it.ty))
        && matches!(
            operation,
            Operation::Add | Operation::Sub | Operation::Mul | Operation::Neg | Operation::Convert
        )
}

impl BoundsChecker<'_, '_> {
    /// The conditions under which an expression is the same with 64 bits.
    fn wide_assumptions(&mut self, expr: &Expr) -> Option<BTreeSet<AssumptionId>> {
        let mut found = Vec::new();
        visit_leaves(expr, &mut |it| found.push(it));
        let mut assumptions = self.captured_assumptions(expr)?;
        for leaf in found {
            let ExprKind::Local(local) = leaf.kind else { continue };
            assumptions.extend(self.wide.locals.get(&local).cloned().unwrap_or(Some(BTreeSet::new()))?);
            if leaf.ty == Ty::I32 {
                assumptions.extend(self.evaluate_exact(leaf)?.0.assumptions);
            }
        }
        Some(assumptions)
    }

    /// The conditions under which arithmetic on captured values alone does not wrap: of that the host tells what the program makes of
    /// it, wrapped or not.
    fn captured_assumptions(&mut self, expr: &Expr) -> Option<BTreeSet<AssumptionId>> {
        let mut assumptions = BTreeSet::new();
        let ExprKind::Operation { operation, args } = &expr.kind else { return Some(assumptions) };
        if !is_wide(*operation, expr.ty, args) {
            return Some(assumptions);
        }
        if expr.ty == Ty::I32 && self.is_uniform(expr) {
            assumptions.extend(self.evaluate_exact_operands(expr)?.0.assumptions);
        }
        for arg in args {
            assumptions.extend(self.captured_assumptions(arg)?);
        }
        Some(assumptions)
    }

    /// An access.
    pub fn widen(&mut self, index: &Expr) {
        let uses_guards = std::mem::replace(&mut self.uses_guards, false);
        let assumptions = self.wide_assumptions(index).and_then(|mut assumptions| {
            assumptions.extend(self.evaluate_exact(index)?.0.assumptions);
            Some(assumptions)
        });
        self.uses_guards = uses_guards;
        self.record_wide(index, assumptions);
    }

    /// A step of a loop's counter: it never wraps under these conditions.
    pub fn steps_exactly(&mut self, value: &Expr, assumptions: &BTreeSet<AssumptionId>) {
        self.record_wide(value, Some(assumptions.clone()));
    }

    fn record_wide(&mut self, expr: &Expr, assumptions: Option<BTreeSet<AssumptionId>>) {
        let conditions = assumptions.map(|assumptions| {
            let path = self.state.path_conditions.join(" && ");
            let assumption = |it: AssumptionId| match path.is_empty() {
                true => format!("q{it}"),
                false => format!("(!({path}) || q{it})"),
            };
            assumptions.into_iter().map(assumption).collect::<Vec<String>>()
        });
        match self.wide.found.entry(std::ptr::from_ref(expr)).or_insert_with(|| Some(Vec::new())) {
            Some(all) if let Some(more) = conditions => all.extend(more),
            other => *other = None,
        }
    }

    /// An assignment.
    pub fn widen_assignment(&mut self, local: LocalId, value: &Expr) {
        if !matches!(value.ty, Ty::I32 | Ty::I64) || type_range(value.ty).is_none() {
            return;
        }
        let uses_guards = std::mem::replace(&mut self.uses_guards, false);
        let assumptions = self.wide_assumptions(value);
        self.uses_guards = uses_guards;
        match self.wide.locals.entry(local).or_insert_with(|| Some(BTreeSet::new())) {
            Some(all) if let Some(more) = assumptions => all.extend(more),
            other => *other = None,
        }
    }
}
