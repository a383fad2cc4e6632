//! Indices outside of a row: the rows of an array of arrays follow each other in memory (C17 6.2.5), so the
//! element in front of a row is the last one of the row before.

use apg_kernels::fork_join::{self, Constraint, Selector};

use super::Lowering;
use super::values::{Place, Value};
use crate::hir::{ExprKind, Length, Type};

impl Lowering<'_> {
    /// The element of a neighbouring row that an index reaches in some iteration, and when it does. `None` if
    /// the index stays in its row, as far as the loops around tell.
    pub(super) fn in_other_row(&mut self, place: &Place) -> Option<(Place, Constraint)> {
        let [.., Selector::Index(Some(row)), Selector::Index(Some(index))] = &place.selectors[..] else {
            return None;
        };
        let (row, index) = (row.clone(), index.clone());
        // Most indices are counters, which cannot be outside where the loop is over the row.
        let is_bounded = self.constraints.iter().any(|it| matches!(it, Constraint::NonNegative(_)));
        let length = is_bounded.then(|| self.row_length(place))??;
        let one = fork_join::Value::from_constant(1);
        let is_below = self.least(&index).is_some_and(|it| is_in_next_row(-it, &length));
        let (row, element, condition) = if is_below {
            let before = fork_join::Value::from_constant(-1).checked_sub(&index)?;
            (row.checked_sub(&one)?, index.checked_add(&length)?, before)
        } else {
            let behind = length.checked_sub(&one)?.checked_sub(&index)?;
            let is_behind = self.least(&behind).is_some_and(|it| is_in_next_row(-it, &length));
            is_behind.then_some(())?;
            let element = index.checked_sub(&length)?;
            (row.checked_add(&one)?, element.clone(), element)
        };
        let mut other = place.clone();
        other.selectors.truncate(place.selectors.len() - 2);
        other.selectors.extend([Selector::Index(Some(row)), Selector::Index(Some(element))]);
        Some((other, Constraint::NonNegative(condition)))
    }

    /// The least value of an integer that a condition of the loops around bounds.
    fn least(&self, value: &fork_join::Value) -> Option<i64> {
        let bounds = self.constraints.iter().filter_map(|it| match it {
            Constraint::NonNegative(bound) => value.checked_sub(bound)?.as_constant().copied(),
            _ => None,
        });
        bounds.max()
    }

    /// The number of elements of the row of an array of arrays.
    fn row_length(&mut self, place: &Place) -> Option<fork_join::Value> {
        let object = &self.objects[place.object as usize];
        if !place.selectors.iter().all(|it| matches!(it, Selector::Index(_))) {
            return None;
        }
        let mut ty = &object.ty;
        for _ in 1..place.selectors.len() {
            let Type::Array(element, _) = ty else { return None };
            ty = element;
        }
        match ty {
            Type::Array(_, Length::Constant(length)) => {
                i64::try_from(*length).ok().map(fork_join::Value::from_constant)
            }
            Type::Array(_, Length::Variable(length)) => {
                let ExprKind::Variable(variable) = self.program.expr(*length).kind else { return None };
                // It has still the value with which the array was declared.
                if self.facts.assigned.contains(&variable) || self.facts.addressed.contains(&variable) {
                    return None;
                }
                let object = self.object(variable);
                self.value_of(object).as_ref().and_then(Value::as_integer).cloned()
            }
            _ => None,
        }
    }
}

/// Whether an index that is at most so far outside of a row is in the next one.
fn is_in_next_row(distance: i64, length: &fork_join::Value) -> bool {
    distance >= 1 && length.as_constant().map_or(distance == 1, |it| distance <= *it)
}
