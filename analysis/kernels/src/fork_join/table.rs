//! Subscripted subscripts (`a[table[i]]`) of constant tables: decided by enumeration of the tables' indices.

use std::sync::Arc;

use apg_symbolic::dependence::{Answer, Point};

use super::overlap::{PairConstraint, PairSymbol, PairValue, solve};

/// Maximum number of combinations of two indices.
const MAX_COMBINATIONS: usize = 1 << 16;
/// Maximum number of combinations that satisfy the equations and are decided further.
const MAX_SOLVED: usize = 64;

/// An integer that is an element of a table.
#[derive(Clone, Debug)]
pub(super) struct TableElement {
    pub(super) element: PairSymbol,
    pub(super) index: PairValue,
    pub(super) table: Arc<[i64]>,
}

/// The elements of tables that are indexed by one integer.
struct Group<'t> {
    /// The integer.
    counter: PairSymbol,
    /// The elements, each with the offset of its index.
    elements: Vec<(&'t TableElement, i64)>,
}

impl Group<'_> {
    /// The values of the integer for which all indices are inside of their tables.
    fn range(&self) -> std::ops::Range<i64> {
        let low = self.elements.iter().map(|it| -it.1).max().unwrap_or(0);
        let high = self.elements.iter().map(|it| it.0.table.len() as i64 - it.1).min().unwrap_or(0);
        low..high
    }

    /// The values of all integers of the group.
    fn values(&self, counter: i64) -> impl Iterator<Item = (PairSymbol, i64)> + '_ {
        let elements = self
            .elements
            .iter()
            .map(move |(it, offset)| (it.element, it.table[usize::try_from(counter + offset).unwrap_or(0)]));
        elements.chain([(self.counter, counter)])
    }
}

/// Whether the constraints have a solution in which elements of tables are those of their indices.
pub(super) fn solve_with_tables(
    constraints: &[PairConstraint],
    tables: &[TableElement],
) -> Answer<Point<PairSymbol>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for it in tables {
        let mut terms = it.index.terms();
        let (Some((counter, 1)), None) = (terms.next(), terms.next()) else { return Answer::Unknown };
        let entry = (it, it.index.constant);
        match groups.iter_mut().find(|group| group.counter == *counter) {
            Some(group) => group.elements.push(entry),
            None => groups.push(Group { counter: *counter, elements: vec![entry] }),
        }
    }
    let empty = Group { counter: groups[0].counter, elements: Vec::new() };
    let (first, second) = match &groups[..] {
        [first] => (first, &empty),
        [first, second] => (first, second),
        _ => return Answer::Unknown,
    };
    // Without a second group there is one combination for each index.
    let others = if second.elements.is_empty() { 0..1 } else { second.range() };
    if first.range().count().saturating_mul(others.clone().count()) > MAX_COMBINATIONS {
        return Answer::Unknown;
    }
    let mut solved = 0;
    for a in first.range() {
        for b in others.clone() {
            let mut values: Vec<(PairSymbol, i64)> = first.values(a).collect();
            if !second.elements.is_empty() {
                values.extend(second.values(b));
            }
            let value_of = |symbol: &PairSymbol| values.iter().find(|it| it.0 == *symbol).map(|it| it.1);
            let is_refuted = constraints.iter().any(|it| {
                let value = it.value().evaluate(&value_of);
                value.is_some_and(|value| match it {
                    PairConstraint::NonNegative(_) => value < 0,
                    PairConstraint::Zero(_) => value != 0,
                    PairConstraint::NonZero(_) => value == 0,
                })
            });
            if is_refuted {
                continue;
            }
            solved += 1;
            if solved > MAX_SOLVED {
                return Answer::Unknown;
            }
            if let Answer::Yes(mut point) = solve(replaced(constraints, &values)) {
                point.extend(values);
                return Answer::Yes(point);
            }
        }
    }
    Answer::No
}

/// The constraints with these values.
fn replaced(constraints: &[PairConstraint], values: &[(PairSymbol, i64)]) -> Vec<PairConstraint> {
    let mut all = constraints.to_vec();
    for constraint in &mut all {
        for (symbol, value) in values {
            if let Some(next) = constraint.value().substitute(symbol, &PairValue::from_constant(*value)) {
                *constraint.value_mut() = next;
            }
        }
    }
    all
}
