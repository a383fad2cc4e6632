//! Conflicts between two accesses, found by enumerating the indices of all threads (bounded model checking,
//! Biere and others, TACAS 1999).

use rustc_hash::FxHashMap;

use crate::condition::Condition;
use crate::index::{self, Index, Term};
use crate::{Range, Variable, range_len};

/// Maximum number of value combinations enumerated for one access.
const MAX_COMBINATIONS: usize = 1 << 16;
/// Largest constant up to which an unknown variable is sampled exhaustively.
const MAX_NUMBER: u64 = 128;
/// Number of blocks that are examined one by one, besides the last one.
const MAX_BLOCKS: i64 = 32;
/// A sampled value larger than all constants.
const LARGE_VALUE: i64 = 1 << 20;

/// Two threads that access the same element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictExample {
    /// The indices of the thread that reads.
    pub reader: Vec<i64>,
    /// The indices of the thread that writes.
    pub writer: Vec<i64>,
    /// The size of the block, if it is a sample.
    pub block: Vec<i64>,
    /// The index of the block, if not all blocks have such threads.
    pub block_index: Option<i64>,
}

/// The elements that the threads of a block access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ElementSet<V, S> {
    pub array: V,
    pub index: Index<V>,
    /// Variables of completed loops, with their ranges.
    pub bound: Vec<(V, Range)>,
    pub site: S,
    /// Conditions that hold for the accessing threads.
    pub conditions: Vec<Condition<V>>,
}

impl<V: Variable, S> ElementSet<V, S> {
    pub(crate) fn mentions(&self, variable: V) -> bool {
        let mut found = index::mentions(&self.index, variable);
        self.conditions.iter().for_each(|it| it.for_each_variable(&mut |it| found |= it == variable));
        found
    }

    pub(crate) fn bound(&self, variable: V) -> Option<Range> {
        self.bound.iter().find(|it| it.0 == variable).map(|it| it.1)
    }

    /// The variables of the index and the conditions, each once.
    fn variables(&self) -> Vec<V> {
        let mut found: Vec<V> = Vec::new();
        let mut add = |variable: V| {
            if !found.contains(&variable) {
                found.push(variable);
            }
        };
        index::for_each_variable(&self.index, &mut add);
        self.conditions.iter().for_each(|it| it.for_each_variable(&mut add));
        found
    }

    fn max_magnitude(&self) -> u64 {
        let conditions = self.conditions.iter().map(Condition::max_magnitude).max().unwrap_or(0);
        index::max_magnitude(&self.index).max(conditions)
    }
}

/// The values that variables can have at a point.
pub(crate) struct Domain<'r, V> {
    /// The thread indices, and their last values.
    pub axes: &'r [(V, i64)],
    /// Block indices, with their last values where these are constant.
    pub blocks: &'r FxHashMap<V, Option<i64>>,
    /// Loop variables; their ranges, if all iterations run between two barriers.
    pub loop_variables: &'r FxHashMap<V, Option<Range>>,
    pub is_non_negative: &'r dyn Fn(V) -> bool,
    /// Whether the block size is one of several samples.
    pub is_sampled: bool,
}

impl<V: Variable> Domain<'_, V> {
    /// Two threads of which one certainly writes what the other reads.
    pub(crate) fn find_conflict<S: Copy>(
        &self,
        write: &ElementSet<V, S>,
        read: &ElementSet<V, S>,
    ) -> Option<ConflictExample> {
        if write.array != read.array {
            return None;
        }
        let (written, read) =
            (self.without_common_terms(write, read), self.without_common_terms(read, write));
        let unknown = self.unknown_variables(&written, &read);
        let [unknown] = unknown[..] else {
            return unknown.is_empty().then(|| self.conflict_at(&written, &read, None)).flatten();
        };
        let conflict_with = |value| self.conflict_at(&written, &read, Some((unknown, value)));
        if let Some(Some(last)) = self.blocks.get(&unknown).copied() {
            // Blocks of all indices run: one with a race is enough.
            let mut indices = (0..=last.min(MAX_BLOCKS - 1)).chain((last >= MAX_BLOCKS).then_some(last));
            return indices.find_map(|block| {
                let block_index = Some(block);
                Some(ConflictExample { block_index, ..conflict_with(block)? })
            });
        }
        let mut example = None;
        for value in self.sampled_values(unknown, &written, &read)? {
            example.get_or_insert(conflict_with(value)?);
        }
        example
    }

    fn is_axis(&self, variable: V) -> bool {
        self.axes.iter().any(|it| it.0 == variable)
    }

    /// The elements without terms that both accesses have in common and that are uniform and constant.
    fn without_common_terms<S: Copy>(
        &self,
        access: &ElementSet<V, S>,
        other: &ElementSet<V, S>,
    ) -> ElementSet<V, S> {
        let mut access = access.clone();
        let selects = |variable: V| {
            let mut found = false;
            for condition in access.conditions.iter().chain(&other.conditions) {
                condition.for_each_variable(&mut |it| found |= it == variable);
            }
            for (term, _) in access.index.terms().chain(other.index.terms()) {
                if matches!(term, Term::Operation(_)) {
                    term.for_each_variable(&mut |it| found |= it == variable);
                }
            }
            found
        };
        let bound = |variable| access.bound(variable).is_some() || other.bound(variable).is_some();
        let is_common = |term: &Term<V>, factor: i64| {
            if other.index.coefficient(term) != factor {
                return false;
            }
            match term {
                Term::Variable(it) => !self.is_axis(*it) && !bound(*it) && !selects(*it),
                Term::Operation(_) => {
                    let mut is_fixed = true;
                    term.for_each_variable(&mut |it| {
                        is_fixed &= !self.is_axis(it) && !bound(it) && self.loop_variable_range(it).is_none();
                    });
                    is_fixed
                }
            }
        };
        let mut index = access.index.clone();
        index.retain(|term, factor| !is_common(term, *factor));
        access.index = index;
        access
    }

    fn loop_variable_range(&self, variable: V) -> Option<Range> {
        *self.loop_variables.get(&variable)?
    }

    /// The range of a variable in an access.
    fn range<S>(&self, access: &ElementSet<V, S>, variable: V) -> Option<Range> {
        let axis = self.axes.iter().find(|it| it.0 == variable).map(|it| (0, it.1));
        axis.or_else(|| access.bound(variable)).or_else(|| self.loop_variable_range(variable))
    }

    /// The variables of two accesses without a known range.
    fn unknown_variables<S>(&self, a: &ElementSet<V, S>, b: &ElementSet<V, S>) -> Vec<V> {
        let mut unknown: Vec<V> = Vec::new();
        for access in [a, b] {
            for variable in access.variables() {
                if self.range(access, variable).is_none() && !unknown.contains(&variable) {
                    unknown.push(variable);
                }
            }
        }
        unknown
    }

    /// Representative values of a variable.
    fn sampled_values<S>(
        &self,
        unknown: V,
        a: &ElementSet<V, S>,
        b: &ElementSet<V, S>,
    ) -> Option<impl Iterator<Item = i64> + use<V, S>> {
        let sizes = self.axes.iter().map(|it| it.1.unsigned_abs().saturating_add(1));
        let largest = sizes.fold(a.max_magnitude().max(b.max_magnitude()), u64::max);
        let largest = i64::try_from(largest).ok().filter(|_| largest <= MAX_NUMBER)?;
        let first = if (self.is_non_negative)(unknown) { 0 } else { -2 * largest };
        Some((first..=2 * largest).chain([LARGE_VALUE]))
    }

    /// Two threads of which one writes what the other reads, for a given value of a variable without a range.
    fn conflict_at<S>(
        &self,
        write: &ElementSet<V, S>,
        read: &ElementSet<V, S>,
        given: Option<(V, i64)>,
    ) -> Option<ConflictExample> {
        let written = self.elements(write, given)?;
        let read_elements = self.elements(read, given)?;
        let mut writers: FxHashMap<i64, (u32, Option<u32>)> = FxHashMap::default();
        for (element, thread) in &written {
            let (first, other) = writers.entry(*element).or_insert((*thread, None));
            if first != thread {
                other.get_or_insert(*thread);
            }
        }
        // Several threads that write the same element are taken to write the same value.
        let is_own = self.axes.iter().any(|it| index::mentions(&write.index, it.0));
        let several = writers.values().any(|it| it.1.is_some());
        if !is_own && several {
            return None;
        }
        read_elements.iter().find_map(|(element, reader)| {
            let (first, other) = writers.get(element)?;
            let writer = if first != reader { Some(*first) } else { *other }?;
            let block = match self.is_sampled {
                true => self.axes.iter().map(|it| it.1 + 1).collect(),
                false => Vec::new(),
            };
            let (reader, writer) = (self.thread_indices(*reader), self.thread_indices(writer));
            Some(ConflictExample { reader, writer, block, block_index: None })
        })
    }

    /// The accessed elements, each with the number of its thread; `None` if they are unknown or too many.
    fn elements<S>(&self, access: &ElementSet<V, S>, given: Option<(V, i64)>) -> Option<Vec<(i64, u32)>> {
        let mut ranges: Vec<(V, Range)> = self.axes.iter().map(|it| (it.0, (0, it.1))).collect();
        for variable in access.variables() {
            if !self.is_axis(variable) && given.is_none_or(|it| it.0 != variable) {
                ranges.push((variable, self.range(access, variable)?));
            }
        }
        let combinations =
            ranges.iter().try_fold(1_usize, |product, it| product.checked_mul(range_len(it.1)?))?;
        if combinations > MAX_COMBINATIONS {
            return None;
        }
        let mut found = Vec::with_capacity(combinations);
        let mut values: FxHashMap<V, i64> = given.into_iter().collect();
        for combination in 0..combinations {
            let (mut rest, mut thread) = (combination, 0_u32);
            for (variable, range) in ranges.iter().rev() {
                let count = range_len(*range)?;
                values.insert(*variable, range.0 + i64::try_from(rest % count).ok()?);
                rest /= count;
            }
            for (axis, last) in self.axes {
                let size = u32::try_from(last.checked_add(1)?).ok()?;
                thread = thread.checked_mul(size)?.checked_add(u32::try_from(values[axis]).ok()?)?;
            }
            let value_of = |variable: V| values.get(&variable).copied();
            let mut is_done = true;
            for condition in &access.conditions {
                is_done &= condition.evaluate(&value_of)?;
            }
            if is_done {
                found.push((index::evaluate(&access.index, &value_of)?, thread));
            }
        }
        Some(found)
    }

    /// The indices of the thread with this number.
    fn thread_indices(&self, number: u32) -> Vec<i64> {
        let mut rest = i64::from(number);
        let mut indices: Vec<i64> = Vec::new();
        for (_, last) in self.axes.iter().rev() {
            indices.push(rest % (last + 1));
            rest /= last + 1;
        }
        indices.reverse();
        indices
    }
}
