//! Which indices and comparisons may be computed with 32 bits and signs on a device, whatever type the program gives them. Loops over
//! several axes count with 64 bits, of which devices have no arithmetic; and of sums of 32 bits that may wrap a compiler
//! makes no address with an offset. The result is the same if no part exceeds 32 bits; the host knows that at the launch.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Prover;
use super::form::{FactId, Num};
use super::value::limits;
use super::wide::is_wide;
use crate::mir::*;

/// What was found so far.
#[derive(Default)]
pub struct Narrow {
    /// Conditions, by the address of the index or comparison; none if it must stay as it is.
    found: FxHashMap<*const Expr, Option<BTreeSet<String>>>,
    /// Locals that change: of a counter of 64 bits a compiler knows that it never wraps, of its lower half it does not.
    changing: FxHashSet<LocalId>,
}

impl Narrow {
    /// For a body.
    pub fn new(body: &[Stmt]) -> Narrow {
        let mut assigned = FxHashSet::default();
        let mut changing = FxHashSet::default();
        walk::visit_stmts(body, &mut |stmt| {
            if let StmtKind::Set { local, .. } = &stmt.kind
                && !assigned.insert(*local)
            {
                changing.insert(*local);
            }
        });
        Narrow { found: FxHashMap::default(), changing }
    }

    /// By address.
    pub fn found(&self) -> FxHashSet<*const Expr> {
        self.found.iter().filter(|it| it.1.is_some()).map(|it| *it.0).collect()
    }

    /// All conditions.
    pub fn conditions(&self) -> Vec<String> {
        let all: BTreeSet<&String> = self.found.values().flatten().flatten().collect();
        all.into_iter().cloned().collect()
    }
}

impl Prover<'_, '_> {
    /// An index.
    pub fn narrow_index(&mut self, index: &Expr) {
        let is_sum = |it: &Expr| match &it.kind {
            ExprKind::Operation { operation: Operation::Convert, .. } => false,
            ExprKind::Operation { operation, args } => is_wide(*operation, it.ty, args),
            _ => false,
        };
        let arithmetic = match &index.kind {
            ExprKind::Operation { operation: Operation::Convert, args } => args.iter().any(is_sum),
            ExprKind::Local(_) => index.ty == Ty::I64,
            _ => is_sum(index),
        };
        if arithmetic {
            let facts = self.narrow_facts(index);
            self.found_narrow(index, facts);
        }
    }

    /// A comparison.
    pub fn narrow_comparison(&mut self, expr: &Expr) {
        let ExprKind::Operation { operation, args } = &expr.kind else { return };
        let [a, b] = args.as_slice() else { return };
        if !operation.is_comparison() || a.ty != Ty::I64 || b.ty != Ty::I64 {
            return;
        }
        let facts = self.narrow_facts(a).zip(self.narrow_facts(b)).map(|(a, b)| &a | &b);
        self.found_narrow(expr, facts);
    }

    /// The conditions under which an expression and its parts fit 32 bits with a sign.
    fn narrow_facts(&mut self, expr: &Expr) -> Option<BTreeSet<FactId>> {
        let mut facts = BTreeSet::new();
        match &expr.kind {
            ExprKind::Int(value) => return i32::try_from(*value).ok().map(|_| facts),
            ExprKind::Operation { operation, args } if is_wide(*operation, expr.ty, args) => {
                for arg in args {
                    facts.extend(self.narrow_facts(arg)?);
                }
            }
            ExprKind::Local(local) if expr.ty == Ty::I64 && self.narrow.changing.contains(local) => {
                return None;
            }
            // As the program has it.
            _ if expr.ty == Ty::I32 => return Some(facts),
            _ => {}
        }
        let (form, (low, high)) = self.exact(expr)?;
        facts.extend(form.facts);
        let (least, most) = limits(Ty::I32)?;
        let (low, high) = (low?, high?);
        let fits = |it: &Num| matches!(it, Num::Known(value) if (least..=most).contains(value));
        if !fits(&low) || !fits(&high) {
            let text = format!("{} >= {least}LL && {} <= {most}LL", low.text(), high.text());
            facts.insert(self.book.fact(text));
        }
        Some(facts)
    }

    fn found_narrow(&mut self, expr: &Expr, facts: Option<BTreeSet<FactId>>) {
        let path = self.state.path.join(" && ");
        let fact = |it: FactId| match path.is_empty() {
            true => format!("q{it}"),
            false => format!("(!({path}) || q{it})"),
        };
        let conditions: Option<BTreeSet<String>> = facts.map(|facts| facts.into_iter().map(fact).collect());
        match self.narrow.found.entry(std::ptr::from_ref(expr)).or_insert_with(|| Some(BTreeSet::new())) {
            Some(all) if let Some(more) = conditions => all.extend(more),
            other => *other = None,
        }
    }
}
