//! Iterations that touch different elements: the strong SIV test and Banerjee's bounds on single indices
//! (Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, chapter 3).

use crate::Variable;
use crate::index::{self, Index, Term};

/// How a variable changes while a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// It is the loop variable.
    Counter,
    /// It has the same value in all iterations.
    Fixed,
    /// It varies within an iteration, by at most this; `None` is not known.
    Within(Option<i64>),
}

/// Whether an index is distinct in each iteration: the step of the loop variable exceeds the span of all
/// terms that vary within an iteration.
pub fn is_distinct_in_each<V: Variable>(index: &Index<V>, variation: &dyn Fn(V) -> Variation) -> bool {
    let (mut step, mut span) = (0_u64, 0_u64);
    for (term, factor) in index.terms() {
        let Term::Variable(variable) = term else { return false };
        match variation(*variable) {
            Variation::Counter if step != 0 => return false,
            Variation::Counter => step = factor.unsigned_abs(),
            Variation::Fixed => {}
            Variation::Within(range) => {
                let Some(range) = range.and_then(|it| u64::try_from(it).ok()) else { return false };
                span = span.saturating_add(range.saturating_mul(factor.unsigned_abs()));
            }
        }
    }
    step > span
}

/// Whether the accesses of a loop make its iterations independent: no iteration stores what another one loads
/// or stores. All accesses to an array that is stored to have one index, which is distinct in each iteration.
pub fn are_independent<V: Variable>(
    stores: &[(V, Index<V>)],
    loads: &[(V, Option<Index<V>>)],
    variation: &dyn Fn(V) -> Variation,
) -> bool {
    let is_same_everywhere = |array: V, index: Option<&Index<V>>| {
        stores.iter().filter(|it| it.0 == array).all(|it| index == Some(&it.1))
    };
    stores.iter().all(|(array, index)| {
        is_distinct_in_each(index, variation) && is_same_everywhere(*array, Some(index))
    }) && loads.iter().all(|(array, index)| is_same_everywhere(*array, index.as_ref()))
}

/// Whether the last thread of a block and the first one of the next block have the same index:
/// `block * last + thread` in blocks whose threads count to `last`, inclusive.
pub fn overlaps_next_block<V: Variable>(index: &Index<V>, block: V, thread: V, last: i64) -> bool {
    let is_linear = index.terms().len() == 2;
    is_linear && index::coefficient(index, thread) == 1 && index::coefficient(index, block) == last
}
