//! What may be computed with 32 bits and signs on a device, whatever type the program gives it. X10's literals have 64 bits, of which
//! devices have no arithmetic; and of sums of 32 bits that may wrap a compiler makes no address with an offset. The result is the
//! same if no part exceeds 32 bits; the host knows that at the launch.
//!
//! Indices, comparisons and divisions are what it is for. A local of 64 bits that they read has 32 itself if every value
//! that is assigned to it fits; an expression that reads a local which changes is computed so only if that local has 32 bits: of
//! a counter of 64 bits a compiler knows that it never wraps, of its lower half it does not.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::BoundsChecker;
use super::evaluate::type_range;
use super::symbolic::{Affine, AssumptionId, Range, SymInt};
use super::widen_i64::is_wide;
use apg_mir::*;

/// What was found so far.
#[derive(Default)]
pub struct NarrowAnalysis {
    /// Indices, comparisons, divisions and values of assignments, by address; none if it must stay as it is.
    found: FxHashMap<*const Expr, Option<NarrowConditions>>,
    /// Those of them that are demanded_values for their own sake.
    demanded_values: BTreeSet<*const Expr>,
    /// Expressions that are made of narrow parts, by address, or not: every time they were looked at.
    parts: FxHashMap<*const Expr, bool>,
    /// The values that are assigned to locals.
    assigned: BTreeMap<LocalId, Vec<*const Expr>>,
    /// Locals that change.
    changing: FxHashSet<LocalId>,
    /// Locals of 32 bits: what is assigned to them is arithmetic with a sign where that does not wrap.
    of_32_bits: FxHashSet<LocalId>,
}

/// What an expression needs to be narrow.
#[derive(Clone, Default)]
struct NarrowConditions {
    /// Conditions.
    conditions: BTreeSet<String>,
    /// Locals that must be narrow.
    needs: BTreeSet<LocalId>,
    /// Locals that are better narrow.
    reads: BTreeSet<LocalId>,
}

/// The same of a part, its conditions not yet in words.
#[derive(Default)]
struct NarrowRequirements {
    assumptions: BTreeSet<AssumptionId>,
    needs: BTreeSet<LocalId>,
    reads: BTreeSet<LocalId>,
}

/// What is computed with 32 bits.
#[derive(Default)]
pub struct NarrowedExprs {
    /// Indices, comparisons, divisions and values of assignments, by address.
    pub values: FxHashSet<*const Expr>,
    /// The expressions in them whose operands are narrow too, by address.
    pub parts: FxHashSet<*const Expr>,
    /// Locals of 64 bits that have 32.
    pub locals: FxHashSet<LocalId>,
    /// The conditions of all that.
    pub conditions: Vec<String>,
}

impl NarrowAnalysis {
    /// For a kernel.
    pub fn new(body: &[Stmt]) -> NarrowAnalysis {
        let mut assigned: BTreeMap<LocalId, Vec<*const Expr>> = BTreeMap::new();
        let (mut changing, mut of_32_bits) = (FxHashSet::default(), FxHashSet::default());
        walk::visit_stmts(body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &stmt.kind {
                let values = assigned.entry(*local).or_default();
                values.push(std::ptr::from_ref(value));
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

    /// The end: what holds together. `own` are the locals of 64 bits that get their values by assignments alone.
    pub fn finish(mut self, own: impl Fn(LocalId) -> bool) -> NarrowedExprs {
        let mut locals: FxHashSet<LocalId> = self.assigned.keys().copied().filter(|it| own(*it)).collect();
        loop {
            let holds = |it: &*const Expr| {
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

    /// What is demanded_values, and the assignments to what it reads.
    fn select_demanded(self, candidates: &FxHashSet<LocalId>) -> NarrowedExprs {
        let mut narrowed = NarrowedExprs::default();
        let mut conditions = BTreeSet::new();
        let mut open: Vec<*const Expr> = self.demanded_values.into_iter().collect();
        while let Some(address) = open.pop() {
            let Some(Some(found)) = self.found.get(&address) else { continue };
            if !narrowed.values.insert(address) {
                continue;
            }
            conditions.extend(found.conditions.iter().cloned());
            for local in &found.reads {
                let is_narrowed = candidates.contains(local) && narrowed.locals.insert(*local);
                if is_narrowed || self.of_32_bits.contains(local) {
                    open.extend(&self.assigned[local]);
                }
            }
        }
        narrowed.parts = self.parts.into_iter().filter(|it| it.1).map(|it| it.0).collect();
        narrowed.conditions = conditions.into_iter().collect();
        narrowed
    }
}

/// Whether an operation of 64 bits gives the same with 32, if its operands and its result fit.
fn is_narrowing(operation: Operation, ty: Ty, args: &[Expr]) -> bool {
    use Operation as O;
    is_wide(operation, ty, args)
        || ty == Ty::I64
            && match operation {
                O::Div | O::Rem | O::And | O::Or | O::Xor | O::Min | O::Max => {
                    args.iter().all(|it| it.ty == Ty::I64)
                }
                O::Shl | O::Shr => matches!(args.get(1).map(|it| &it.kind), Some(ExprKind::Int(0..=30))),
                _ => false,
            }
}

impl BoundsChecker<'_, '_> {
    /// An index.
    pub fn narrow_index(&mut self, index: &Expr) {
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

    /// A comparison, a division or a conversion to a floating point number.
    pub fn narrow_operation(&mut self, expr: &Expr) {
        let ExprKind::Operation { operation, args } = &expr.kind else { return };
        if args.iter().any(|it| it.ty != Ty::I64) {
            return;
        }
        let needs = match operation {
            Operation::Div | Operation::Rem => self.narrow_needs(expr),
            Operation::Convert if matches!(expr.ty, Ty::F32 | Ty::F64) => self.narrow_operands(args),
            _ if operation.is_comparison() => self.narrow_operands(args),
            _ => return,
        };
        self.record_narrow(expr, needs, true);
    }

    /// The value of an assignment.
    pub fn narrow_assignment(&mut self, value: &Expr) {
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

    /// What is needed for an expression to fit 32 bits with a sign, and so its parts, as far as they are looked into.
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
                    Some(assumptions) => needs.assumptions.extend(assumptions),
                    None => _ = needs.needs.insert(*local),
                }
                return Some(needs);
            }
            // As the program has it.
            _ if expr.ty == Ty::I32 => {
                if let ExprKind::Local(local) = expr.kind {
                    needs.reads.insert(local);
                }
                return Some(needs);
            }
            _ => {}
        }
        needs.assumptions.extend(self.fits(expr)?);
        Some(needs)
    }

    /// What is known of an expression. Of arithmetic with 32 bits what its operands say: a guard is about what it gives, wrapped or not.
    fn exact_before_wrapping(&mut self, expr: &Expr) -> Option<(Affine, Range)> {
        if expr.ty == Ty::I32 && matches!(expr.kind, ExprKind::Operation { .. }) {
            self.evaluate_exact_operands(expr)
        } else {
            self.evaluate_exact(expr)
        }
    }

    /// The side of a choice.
    fn narrow_side(&mut self, condition: &Expr, holds: bool, side: &Expr) -> Option<NarrowRequirements> {
        let before = self.state.clone();
        self.assume(condition, holds);
        let needs = self.narrow_needs(side);
        self.state = before;
        needs
    }

    /// Notes whether an expression is made of narrow parts.
    fn record_parts(&mut self, expr: &Expr, parts: Option<NarrowRequirements>) -> NarrowRequirements {
        *self.narrow.parts.entry(std::ptr::from_ref(expr)).or_insert(true) &= parts.is_some();
        parts.unwrap_or_default()
    }

    /// The conditions under which the value of an expression fits 32 bits.
    fn fits(&mut self, expr: &Expr) -> Option<BTreeSet<AssumptionId>> {
        let (form, (low, high)) = self.exact_before_wrapping(expr)?;
        let mut assumptions = form.assumptions;
        let (least, most) = type_range(Ty::I32)?;
        let (low, high) = (low?, high?);
        let never = |it: &SymInt| matches!(it, SymInt::Const(value) if !(least..=most).contains(value));
        if never(&low) || never(&high) {
            return None;
        }
        if !matches!((&low, &high), (SymInt::Const(_), SymInt::Const(_))) {
            if assumptions.contains(&self.context.approximation()) {
                return None;
            }
            let text = format!("{} >= {least}LL && {} <= {most}LL", low.text(), high.text());
            assumptions.insert(self.context.assumption(text));
        }
        Some(assumptions)
    }

    fn record_narrow(&mut self, expr: &Expr, needs: Option<NarrowRequirements>, demanded_values: bool) {
        let address = std::ptr::from_ref(expr);
        let path = self.state.path_conditions.join(" && ");
        let assumption = |it: AssumptionId| match path.is_empty() {
            true => format!("q{it}"),
            false => format!("(!({path}) || q{it})"),
        };
        if demanded_values {
            self.narrow.demanded_values.insert(address);
        }
        let more = needs.map(|it| NarrowConditions {
            conditions: it.assumptions.into_iter().map(assumption).collect(),
            needs: it.needs,
            reads: it.reads,
        });
        match self.narrow.found.entry(address).or_insert_with(|| Some(NarrowConditions::default())) {
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
        self.assumptions.extend(other.assumptions);
        self.needs.extend(other.needs);
        self.reads.extend(other.reads);
    }
}
