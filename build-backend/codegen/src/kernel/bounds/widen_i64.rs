//! Which indices may be computed with 64 bits though the program computes them with 32. A compiler that must let 32 bits wrap does
//! not see that neighbouring threads touch neighbouring elements. The result is the same if neither the index nor a local
//! that it is made of exceeds 32 bits; the host knows that at the launch.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Prover;
use super::evaluate::limits;
use super::symbolic::FactId;
use apg_mir::*;

/// What was found so far.
#[derive(Default)]
pub struct Wide {
    /// Under which conditions the values of locals were computed without exceeding 32 bits; none if nothing is known.
    locals: FxHashMap<LocalId, Option<BTreeSet<FactId>>>,
    /// Accesses: their conditions.
    found: FxHashMap<*const Expr, Option<Vec<String>>>,
}

impl Wide {
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
pub fn leaves<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Operation { operation, args } if is_wide(*operation, expr.ty, args) => {
            for arg in args {
                leaves(arg, f);
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

impl Prover<'_, '_> {
    /// The conditions under which an expression is the same with 64 bits.
    fn wide_facts(&mut self, expr: &Expr) -> Option<BTreeSet<FactId>> {
        let mut found = Vec::new();
        leaves(expr, &mut |it| found.push(it));
        let mut facts = self.captured_facts(expr)?;
        for leaf in found {
            let ExprKind::Local(local) = leaf.kind else { continue };
            facts.extend(self.wide.locals.get(&local).cloned().unwrap_or(Some(BTreeSet::new()))?);
            if leaf.ty == Ty::I32 {
                facts.extend(self.exact(leaf)?.0.facts);
            }
        }
        Some(facts)
    }

    /// The conditions under which arithmetic on captured values alone does not wrap: of that the host tells what the program makes of
    /// it, wrapped or not.
    fn captured_facts(&mut self, expr: &Expr) -> Option<BTreeSet<FactId>> {
        let mut facts = BTreeSet::new();
        let ExprKind::Operation { operation, args } = &expr.kind else { return Some(facts) };
        if !is_wide(*operation, expr.ty, args) {
            return Some(facts);
        }
        if expr.ty == Ty::I32 && self.is_uniform(expr) {
            facts.extend(self.exact_by_operands(expr)?.0.facts);
        }
        for arg in args {
            facts.extend(self.captured_facts(arg)?);
        }
        Some(facts)
    }

    /// An access.
    pub fn widen(&mut self, index: &Expr) {
        let narrowed = std::mem::replace(&mut self.narrowed, false);
        let facts = self.wide_facts(index).and_then(|mut facts| {
            facts.extend(self.exact(index)?.0.facts);
            Some(facts)
        });
        self.narrowed = narrowed;
        self.found_wide(index, facts);
    }

    /// A step of a loop's counter: it never wraps under these conditions.
    pub fn steps_exactly(&mut self, value: &Expr, facts: &BTreeSet<FactId>) {
        self.found_wide(value, Some(facts.clone()));
    }

    fn found_wide(&mut self, expr: &Expr, facts: Option<BTreeSet<FactId>>) {
        let conditions = facts.map(|facts| {
            let path = self.state.path.join(" && ");
            let fact = |it: FactId| match path.is_empty() {
                true => format!("q{it}"),
                false => format!("(!({path}) || q{it})"),
            };
            facts.into_iter().map(fact).collect::<Vec<String>>()
        });
        match self.wide.found.entry(std::ptr::from_ref(expr)).or_insert_with(|| Some(Vec::new())) {
            Some(all) if let Some(more) = conditions => all.extend(more),
            other => *other = None,
        }
    }

    /// An assignment.
    pub fn widened(&mut self, local: LocalId, value: &Expr) {
        if !matches!(value.ty, Ty::I32 | Ty::I64) || limits(value.ty).is_none() {
            return;
        }
        let narrowed = std::mem::replace(&mut self.narrowed, false);
        let facts = self.wide_facts(value);
        self.narrowed = narrowed;
        match self.wide.locals.entry(local).or_insert_with(|| Some(BTreeSet::new())) {
            Some(all) if let Some(more) = facts => all.extend(more),
            other => *other = None,
        }
    }
}
