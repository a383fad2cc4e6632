//! Block sizes for race detection: the constant size, or samples where the number of threads is a variable.

use rustc_hash::FxHashMap;

use crate::expression::Scope;
use crate::index::{self, Index};
use crate::model::{Axis, Kernel};
use crate::{Values, Variable};

/// Sampled values of the variable that determines the number of threads; messages cite the first one.
const SAMPLED_SIZES: [i64; 9] = [64, 2, 3, 4, 5, 32, 100, 128, 256];
/// Sampled values of two and three variables.
const SAMPLED_SIZE_TUPLES: [[i64; 3]; 9] = [
    [16, 16, 4],
    [2, 2, 2],
    [3, 5, 2],
    [5, 3, 4],
    [32, 1, 1],
    [1, 32, 1],
    [1, 1, 32],
    [4, 32, 2],
    [32, 8, 1],
];
/// Maximum number of integer constants of the kernel that are sampled as well.
const MAX_CODE_CONSTANTS: usize = 8;
/// Block sizes considered: one thread has no races, and hardware has a maximum.
const THREADS_PER_BLOCK: std::ops::RangeInclusive<i64> = 2..=1024;

/// A block size.
#[derive(Clone, Debug)]
pub struct BlockSize<V> {
    /// The thread indices, and their last values.
    pub axes: Vec<(V, i64)>,
    /// Values of the variables that determine the size.
    pub values: Values<V>,
    /// Whether it is one of several samples.
    pub is_sampled: bool,
}

impl<V: Variable, S> Kernel<V, S> {
    /// The block sizes to examine; empty if they cannot be determined.
    pub fn block_sizes(&self) -> Vec<BlockSize<V>> {
        self.block_size_samples().unwrap_or_default()
    }

    fn block_size_samples(&self) -> Option<Vec<BlockSize<V>>> {
        let none = Values::default();
        let is_symbol = |it: V| self.chosen.contains(&it) || self.captured.contains(&it);
        let scope = self.scope(&is_symbol, &none);
        let axis = |axis: &Axis<V, S>| Some((axis.variable?, scope.index(&axis.last)?));
        let axes: Vec<(V, Index<V>)> = self.threads.iter().map(axis).collect::<Option<_>>()?;
        let mut variables: Vec<V> = Vec::new();
        for (_, last) in &axes {
            index::for_each_variable(last, &mut |it| {
                if !variables.contains(&it) {
                    variables.push(it);
                }
            });
        }
        let samples: Vec<Vec<i64>> = match variables.len() {
            0 => return Some(vec![sized(&axes, &variables, &[])?]),
            1 => SAMPLED_SIZES.into_iter().chain(self.sampled_constants()).map(|it| vec![it]).collect(),
            2 | 3 => SAMPLED_SIZE_TUPLES.iter().map(|it| it.to_vec()).collect(),
            _ => return None,
        };
        let is_block = |size: &BlockSize<V>| {
            let count = |axes: &[(V, i64)]| {
                axes.iter().try_fold(1_i64, |all, it| all.checked_mul(it.1.checked_add(1)?.max(0)))
            };
            count(&size.axes).is_some_and(|it| THREADS_PER_BLOCK.contains(&it))
        };
        let mut sizes: Vec<BlockSize<V>> =
            samples.iter().filter_map(|it| sized(&axes, &variables, it)).filter(is_block).collect();
        sizes.iter_mut().for_each(|it| self.add_derived_values(it));
        Some(sizes)
    }

    /// The block indices, with their last values where these are constant for a block size.
    pub(crate) fn last_block_indices(&self, values: &Values<V>) -> FxHashMap<V, Option<i64>> {
        let scope = self.scope(&|_| false, values);
        let last = |axis: &Axis<V, S>| scope.index(&axis.last).and_then(|it| it.as_constant().copied());
        self.blocks.iter().filter_map(|axis| Some((axis.variable?, last(axis)))).collect()
    }

    /// Adds the captured variables whose values follow from the size.
    fn add_derived_values(&self, size: &mut BlockSize<V>) {
        for (variable, value) in &self.captured_values {
            if size.values.contains_key(variable) {
                continue;
            }
            let value = self.scope(&|_| false, &size.values).index(value);
            if let Some(value) = value.filter(|it| it.as_constant().is_some()) {
                size.values.insert(*variable, value);
            }
        }
    }

    /// Integers of the kernel that are possible block sizes.
    fn sampled_constants(&self) -> Vec<i64> {
        let mut found = Vec::new();
        for value in &self.constants {
            let is_new = !SAMPLED_SIZES.contains(value) && !found.contains(value);
            if THREADS_PER_BLOCK.contains(value) && is_new && found.len() < MAX_CODE_CONSTANTS {
                found.push(*value);
            }
        }
        found
    }

    fn scope<'s>(&'s self, is_symbol: &'s dyn Fn(V) -> bool, values: &'s Values<V>) -> Scope<'s, V, S>
    where
        S: 's,
    {
        Scope { is_symbol, is_non_negative: &|_| false, values, definitions: self }
    }
}

/// The block of some values of the variables that determine its size.
fn sized<V: Variable>(axes: &[(V, Index<V>)], variables: &[V], values: &[i64]) -> Option<BlockSize<V>> {
    let value_of = |variable: V| {
        let position = variables.iter().position(|it| *it == variable)?;
        values.get(position).copied()
    };
    let last = |(axis, last): &(V, Index<V>)| Some((*axis, index::evaluate(last, &value_of)?));
    let given = variables.iter().zip(values).map(|(it, value)| (*it, Index::from_constant(*value)));
    Some(BlockSize {
        axes: axes.iter().map(last).collect::<Option<_>>()?,
        values: given.collect(),
        is_sampled: !variables.is_empty(),
    })
}
