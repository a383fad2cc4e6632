//! Conditions on symbolic integers, with evaluation in three-valued logic (Kleene, *Introduction to
//! Metamathematics*, 64).

use std::cell::Cell;

use crate::Variable;
use crate::index::{self, Index};

/// A condition on symbolic integers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition<V> {
    /// The first value is less than the second.
    Less(Index<V>, Index<V>),
    /// Both values are equal.
    Equal(Index<V>, Index<V>),
    /// All conditions hold.
    All(Vec<Condition<V>>),
    /// The condition does not hold.
    Not(Box<Condition<V>>),
    /// Always, or never.
    Literal(bool),
}

impl<V: Variable> Condition<V> {
    /// The condition that holds where this one does not.
    #[must_use]
    pub fn negated(self) -> Condition<V> {
        match self {
            Condition::Not(it) => *it,
            it => Condition::Not(Box::new(it)),
        }
    }

    /// The truth value, if the known variables decide it.
    pub fn evaluate(&self, value_of: &dyn Fn(V) -> Option<i64>) -> Option<bool> {
        let of = |it: &Index<V>| index::evaluate(it, value_of);
        match self {
            Condition::Less(left, right) => Some(of(left)? < of(right)?),
            Condition::Equal(left, right) => Some(of(left)? == of(right)?),
            Condition::All(all) => {
                let mut is_known = true;
                for condition in all {
                    match condition.evaluate(value_of) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => is_known = false,
                    }
                }
                is_known.then_some(true)
            }
            Condition::Not(it) => it.evaluate(value_of).map(|it| !it),
            Condition::Literal(value) => Some(*value),
        }
    }

    /// The condition in terms of other variables; see [`index::replace`].
    pub fn replace<W: Variable>(&self, value_of: &dyn Fn(V) -> Option<Index<W>>) -> Option<Condition<W>> {
        let left = Cell::new(index::MAX_TERMS.checked_sub(self.size())?);
        self.substitute(&|variable| index::within(&left, value_of(variable)?))
    }

    /// The number of terms, with those of operations.
    pub(crate) fn size(&self) -> usize {
        match self {
            Condition::Less(left, right) | Condition::Equal(left, right) => {
                1 + index::size(left) + index::size(right)
            }
            Condition::All(all) => 1 + all.iter().map(Condition::size).sum::<usize>(),
            Condition::Not(it) => it.size(),
            Condition::Literal(_) => 1,
        }
    }

    /// [`Condition::replace`] without a limit.
    pub(crate) fn substitute<W: Variable>(
        &self,
        value_of: &dyn Fn(V) -> Option<Index<W>>,
    ) -> Option<Condition<W>> {
        let of = |it: &Index<V>| index::substitute(it, value_of);
        Some(match self {
            Condition::Less(left, right) => Condition::Less(of(left)?, of(right)?),
            Condition::Equal(left, right) => Condition::Equal(of(left)?, of(right)?),
            Condition::All(all) => {
                Condition::All(all.iter().map(|it| it.substitute(value_of)).collect::<Option<_>>()?)
            }
            Condition::Not(it) => Condition::Not(Box::new(it.substitute(value_of)?)),
            Condition::Literal(value) => Condition::Literal(*value),
        })
    }

    /// Calls `visit` for all variables.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Condition::Less(left, right) | Condition::Equal(left, right) => {
                index::for_each_variable(left, visit);
                index::for_each_variable(right, visit);
            }
            Condition::All(all) => all.iter().for_each(|it| it.for_each_variable(visit)),
            Condition::Not(it) => it.for_each_variable(visit),
            Condition::Literal(_) => {}
        }
    }

    /// The largest magnitude of any constant.
    pub fn max_magnitude(&self) -> u64 {
        match self {
            Condition::Less(a, b) | Condition::Equal(a, b) => {
                index::max_magnitude(a).max(index::max_magnitude(b))
            }
            Condition::All(all) => all.iter().map(Condition::max_magnitude).max().unwrap_or(0),
            Condition::Not(it) => it.max_magnitude(),
            Condition::Literal(_) => 0,
        }
    }
}
