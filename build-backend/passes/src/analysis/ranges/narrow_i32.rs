//! Narrowing of 64-bit integers to signed 32 bits on devices.
//!
//! Many integers have 64 bits, for which devices have no native arithmetic; and a compiler folds no offset
//! into an address computed with 32 bits that may wrap. The result is the same if no subexpression exceeds 32
//! bits, which the host verifies at launch.
//!
//! Indices, comparisons and divisions demand narrowing. A 64-bit local that they read is narrowed if every
//! value assigned to it fits. An expression that reads a local with several assignments is narrowed only
//! together with it: compilers know that a 64-bit counter does not wrap, but not that its lower half does
//! not.

use std::collections::{BTreeMap, BTreeSet};

use apg_symbolic::{SymExpr, SymRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::BoundsChecker;
use super::evaluate::type_range;
use super::form::{Assumptions, Form};
use super::widen_i64::is_wide;
use crate::analysis::ranges::facts::NarrowedExprs;
use apg_mir::*;

/// State of the analysis.
#[derive(Default)]
pub(super) struct NarrowAnalysis {
    /// Requirements of indices, comparisons, divisions and assigned values; `None` if they stay wide.
    found: FxHashMap<ExprId, Option<NarrowConditions>>,
    /// Expressions that are narrowed for their own sake.
    demanded_values: BTreeSet<ExprId>,
    /// Whether all operands of an expression can be narrowed, in every visit.
    parts: FxHashMap<ExprId, bool>,
    /// Values assigned to locals.
    assigned: BTreeMap<LocalId, Vec<ExprId>>,
    /// Locals with several assignments.
    changing: FxHashSet<LocalId>,
    /// 32-bit locals, whose arithmetic becomes signed where it does not wrap.
    of_32_bits: FxHashSet<LocalId>,
}

/// What narrowing an expression requires.
#[derive(Clone, Default)]
struct NarrowConditions {
    /// Launch conditions.
    conditions: BTreeSet<SymExpr>,
    /// Locals that must be narrowed too.
    needs: BTreeSet<LocalId>,
    /// Locals that profit from narrowing.
    reads: BTreeSet<LocalId>,
}

/// The same, with assumptions instead of launch conditions.
#[derive(Default)]
struct NarrowRequirements {
    assumptions: Assumptions,
    needs: BTreeSet<LocalId>,
    reads: BTreeSet<LocalId>,
}

impl NarrowAnalysis {
    /// Prepares the analysis of a body.
    pub(super) fn new(body: &[Stmt]) -> NarrowAnalysis {
        let mut assigned: BTreeMap<LocalId, Vec<ExprId>> = BTreeMap::new();
        let (mut changing, mut of_32_bits) = (FxHashSet::default(), FxHashSet::default());
        walk::visit_stmts(body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &stmt.kind {
                let values = assigned.entry(*local).or_default();
                values.push(value.id);
                if values.len() > 1 {
                    changing.insert(*local);
                }
                if value.ty == Ty::I32 {
                    of_32_bits.insert(*local);
                }
            }
        });
        NarrowAnalysis { assigned, changing, of_32_bits, ..NarrowAnalysis::default() }
    }

    /// Solves the requirements by the greatest fixpoint. `own` tells 64-bit locals that get values by
    /// assignments only. Returns the launch conditions as well.
    pub(super) fn finish(mut self, own: impl Fn(LocalId) -> bool) -> (NarrowedExprs, Vec<SymExpr>) {
        let mut locals: FxHashSet<LocalId> = self.assigned.keys().copied().filter(|it| own(*it)).collect();
        loop {
            let holds = |it: &ExprId| {
                self.found.get(it).is_some_and(|found| {
                    found.as_ref().is_some_and(|found| found.needs.iter().all(|it| locals.contains(it)))
                })
            };
            let fewer: FxHashSet<LocalId> =
                locals.iter().copied().filter(|it| self.assigned[it].iter().all(holds)).collect();
            if fewer.len() == locals.len() {
                break;
            }
            locals = fewer;
        }
        self.found.retain(|_, found| {
            found.as_ref().is_some_and(|it| it.needs.iter().all(|it| locals.contains(it)))
        });
        self.select_demanded(&locals)
    }

    /// Selects the demanded expressions, and the assignments to locals that they read.
    fn select_demanded(self, candidates: &FxHashSet<LocalId>) -> (NarrowedExprs, Vec<SymExpr>) {
        let mut narrowed = NarrowedExprs::default();
        let mut conditions = BTreeSet::new();
        let mut open: Vec<ExprId> = self.demanded_values.into_iter().collect();
        while let Some(id) = open.pop() {
            let Some(Some(found)) = self.found.get(&id) else { continue };
            if !narrowed.values.insert(id) {
                continue;
            }
            conditions.extend(&found.conditions);
            for local in &found.reads {
                let is_narrowed = candidates.contains(local) && narrowed.locals.insert(*local);
                if is_narrowed || self.of_32_bits.contains(local) {
                    open.extend(&self.assigned[local]);
                }
            }
        }
        narrowed.parts = self.parts.into_iter().filter(|it| it.1).map(|it| it.0).collect();
        (narrowed, conditions.into_iter().collect())
    }
}

/// Whether an operation on 64 bits gives the same result with 32, if operands and result fit.
fn is_narrowing(operation: Operation, ty: Ty, args: &[Expr]) -> bool {
    use Operation as O;
    is_wide(operation, ty, args)
        || ty == Ty::I64
            && match operation {
                O::Div | O::Rem | O::DivUndefined | O::RemUndefined => args.iter().all(|it| it.ty == Ty::I64),
                O::And | O::Or | O::Xor | O::Min | O::Max => args.iter().all(|it| it.ty == Ty::I64),
                O::Shl | O::Shr => matches!(args.get(1).map(|it| &it.kind), Some(ExprKind::Int(0..=30))),
                _ => false,
            }
}

impl BoundsChecker<'_> {
    /// Considers an index.
    pub(super) fn narrow_index(&mut self, index: &Expr) {
        let is_sum = |it: &Expr| match &it.kind {
            ExprKind::Operation { operation: Operation::Convert, .. } => false,
            ExprKind::Operation { operation, args } => is_narrowing(*operation, it.ty, args),
            _ => false,
        };
        let arithmetic = match &index.kind {
            ExprKind::Operation { operation: Operation::Convert, args } => {
                args.iter().any(|it| is_sum(it) || it.ty == Ty::I32 && matches!(it.kind, ExprKind::Local(_)))
            }
            ExprKind::Local(_) => matches!(index.ty, Ty::I32 | Ty::I64),
            _ => is_sum(index),
        };
        if arithmetic {
            let needs = self.narrow_needs(index);
            self.record_narrow(index, needs, true);
        }
    }

    /// Considers a comparison, a division or a conversion to a floating-point number.
    pub(super) fn narrow_operation(&mut self, expr: &Expr) {
        let ExprKind::Operation { operation, args } = &expr.kind else { return };
        if args.iter().any(|it| it.ty != Ty::I64) {
            return;
        }
        let needs = match operation {
            Operation::Div | Operation::Rem | Operation::DivUndefined | Operation::RemUndefined => {
                self.narrow_needs(expr)
            }
            Operation::Convert if matches!(expr.ty, Ty::F32 | Ty::F64) => self.narrow_operands(args),
            _ if operation.is_comparison() => self.narrow_operands(args),
            _ => return,
        };
        self.record_narrow(expr, needs, true);
    }

    /// Considers an assigned value.
    pub(super) fn narrow_assignment(&mut self, value: &Expr) {
        let arithmetic = value.ty == Ty::I32 && matches!(value.kind, ExprKind::Operation { .. });
        if value.ty == Ty::I64 || arithmetic {
            let needs = self.narrow_needs(value);
            self.record_narrow(value, needs, false);
        }
    }

    fn narrow_operands(&mut self, args: &[Expr]) -> Option<NarrowRequirements> {
        let mut all = NarrowRequirements::default();
        for arg in args {
            all.extend(self.narrow_needs(arg)?);
        }
        Some(all)
    }

    /// Requirements for an expression and its operands to fit signed 32 bits.
    fn narrow_needs(&mut self, expr: &Expr) -> Option<NarrowRequirements> {
        let mut needs = NarrowRequirements::default();
        match &expr.kind {
            ExprKind::Int(value) => return i32::try_from(*value).ok().map(|_| needs),
            ExprKind::Operation { operation, args } if is_narrowing(*operation, expr.ty, args) => {
                let parts = self.narrow_operands(args);
                needs.extend(self.record_parts(expr, parts));
            }
            ExprKind::Select { condition, then, otherwise } if expr.ty == Ty::I64 => {
                let parts = self
                    .narrow_side(condition, true, then)
                    .zip(self.narrow_side(condition, false, otherwise));
                let parts = parts.map(|(mut a, b)| {
                    a.extend(b);
                    a
                });
                needs.extend(self.record_parts(expr, parts));
            }
            ExprKind::Local(local) if expr.ty == Ty::I64 => {
                needs.reads.insert(*local);
                let known = if self.narrow.changing.contains(local) { None } else { self.fits(expr) };
                match known {
                    Some(assumptions) => needs.assumptions.extend(&assumptions),
                    None => _ = needs.needs.insert(*local),
                }
                return Some(needs);
            }
            // It has 32 bits already.
            _ if expr.ty == Ty::I32 => {
                if let ExprKind::Local(local) = expr.kind {
                    needs.reads.insert(local);
                }
                return Some(needs);
            }
            _ => {}
        }
        needs.assumptions.extend(&self.fits(expr)?);
        Some(needs)
    }

    /// Evaluates an expression before wrapping: 32-bit arithmetic from its operands, since facts from guards
    /// are about the wrapped result.
    fn exact_before_wrapping(&mut self, expr: &Expr) -> Option<(Form, SymRange)> {
        if expr.ty == Ty::I32 && matches!(expr.kind, ExprKind::Operation { .. }) {
            self.evaluate_exact_operands(expr)
        } else {
            self.evaluate_exact(expr)
        }
    }

    /// Requirements of one side of a conditional expression.
    fn narrow_side(&mut self, condition: &Expr, holds: bool, side: &Expr) -> Option<NarrowRequirements> {
        let before = self.state.clone();
        self.assume(condition, holds);
        let needs = self.narrow_needs(side);
        self.state = before;
        needs
    }

    /// Records whether the operands of an expression can be narrowed.
    fn record_parts(&mut self, expr: &Expr, parts: Option<NarrowRequirements>) -> NarrowRequirements {
        if expr.id.is_assigned() {
            *self.narrow.parts.entry(expr.id).or_insert(true) &= parts.is_some();
        }
        parts.unwrap_or_default()
    }

    /// Assumptions for the value of an expression to fit 32 bits.
    fn fits(&mut self, expr: &Expr) -> Option<Assumptions> {
        let (form, range) = self.exact_before_wrapping(expr)?;
        let mut assumptions = form.assumptions;
        let fits = self.context.is_within(&range, type_range(Ty::I32)?)?;
        if fits == SymExpr::FALSE || fits != SymExpr::TRUE && assumptions.is_approximate {
            return None;
        }
        assumptions.insert(fits);
        Some(assumptions)
    }

    fn record_narrow(&mut self, expr: &Expr, needs: Option<NarrowRequirements>, demanded_values: bool) {
        if !expr.id.is_assigned() {
            return;
        }
        if demanded_values {
            self.narrow.demanded_values.insert(expr.id);
        }
        let more = needs.map(|it| NarrowConditions {
            conditions: it.assumptions.conditions().map(|it| self.where_reached(it)).collect(),
            needs: it.needs,
            reads: it.reads,
        });
        match self.narrow.found.entry(expr.id).or_insert_with(|| Some(NarrowConditions::default())) {
            Some(all) if let Some(more) = more => {
                all.conditions.extend(more.conditions);
                all.needs.extend(more.needs);
                all.reads.extend(more.reads);
            }
            other => *other = None,
        }
    }
}

impl NarrowRequirements {
    fn extend(&mut self, other: NarrowRequirements) {
        self.assumptions.extend(&other.assumptions);
        self.needs.extend(other.needs);
        self.reads.extend(other.reads);
    }
}
