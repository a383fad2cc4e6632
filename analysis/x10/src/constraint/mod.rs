//! Entailment of constraints by congruence closure (Nelson and Oppen, 1980) over equalities of paths and
//! literals, with disequalities. Undecided constraints are checked at run time, as in X10.

pub(crate) mod facts;
mod solver;
#[cfg(test)]
mod soundness;
#[cfg(test)]
mod tests;

pub(crate) use solver::Solver;

use crate::ty::{Constraint, ConstraintTerm, Path};

/// Whether facts entail a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entailment {
    /// The facts entail it.
    Proved,
    /// The facts contradict it.
    Refuted,
    /// Undecided: check at run time.
    Unknown,
}

impl Entailment {
    pub(crate) fn and(self, other: Entailment) -> Entailment {
        match (self, other) {
            (Entailment::Refuted, _) | (_, Entailment::Refuted) => Entailment::Refuted,
            (Entailment::Proved, Entailment::Proved) => Entailment::Proved,
            _ => Entailment::Unknown,
        }
    }
}

/// Whether `facts` entail `goal`. `value` is the path that `self` equals, if known.
pub(crate) fn entails(facts: &[ConstraintTerm], goal: &Constraint, value: Option<&Path>) -> Entailment {
    if goal.terms.is_empty() {
        return Entailment::Proved;
    }
    let mut solver = Solver::default();
    if let Some(value) = value {
        solver.assume(&ConstraintTerm::Equal(Path::self_value(), value.clone()));
    }
    facts.iter().for_each(|fact| solver.assume(fact));
    goal.terms.iter().map(|term| solver.decide(term)).fold(Entailment::Proved, Entailment::and)
}
