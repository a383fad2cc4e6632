//! Conflicts between two accesses, found by enumerating the indices of all threads.

use rustc_hash::FxHashMap;

use crate::body::LocalId;
use crate::kernel::affine::{Affine, Term};
use crate::kernel::races::block_sizes::count;
use crate::kernel::races::{Access, RaceDetector, Range};
use crate::rules::cuda::missing_barrier::ThreadIndex;

/// Maximum number of value combinations enumerated for one access.
const MAX_COMBINATIONS: usize = 1 << 16;
/// Largest constant up to which an unknown variable is sampled exhaustively.
const MAX_NUMBER: u64 = 128;
/// Number of blocks that are examined one by one, besides the last one.
const MAX_BLOCKS: i64 = 32;
/// A sampled value larger than all constants.
const LARGE_VALUE: i64 = 1 << 20;

/// Two threads that access the same element.
#[derive(Clone, Debug)]
pub(in crate::kernel) struct ConflictExample {
    pub reader: ThreadIndex,
    pub writer: ThreadIndex,
    /// The size of the block, if it is a sample.
    pub block: Vec<i64>,
    /// The index of the block, if not all blocks have such threads.
    pub block_index: Option<i64>,
}

/// Values of variables.
type Values = FxHashMap<LocalId, i64>;

impl RaceDetector<'_, '_, '_> {
    /// Two threads of which one certainly writes what the other reads.
    pub(in crate::kernel) fn find_conflict(&self, write: &Access, read: &Access) -> Option<ConflictExample> {
        if write.rail != read.rail {
            return None;
        }
        let (written, read) =
            (self.without_common_terms(write, read), self.without_common_terms(read, write));
        let unknown = self.unknown_variables(&written, &read)?;
        let Some(unknown) = unknown else { return self.conflict_at(&written, &read, &Values::default()) };
        let conflict_with = |value| self.conflict_at(&written, &read, &Values::from_iter([(unknown, value)]));
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

    /// The access without terms that both accesses have in common and that are uniform and constant.
    fn without_common_terms(&self, access: &Access, other: &Access) -> Access {
        let mut access = access.clone();
        let is_picking = |local: LocalId| {
            let mut found = false;
            for condition in access.conditions.iter().chain(&other.conditions) {
                condition.for_each_variable(&mut |it| found |= it == local);
            }
            for (term, _) in access.index.terms.iter().chain(&other.index.terms) {
                if matches!(term, Term::Operation(_)) {
                    term.for_each_variable(&mut |it| found |= it == local);
                }
            }
            found
        };
        let bound = |local| access.bound(local).is_some() || other.bound(local).is_some();
        let is_common = |(term, factor): &(Term, i64)| {
            if other.index.term_coefficient(term) != *factor {
                return false;
            }
            match term {
                Term::Local(local) => !self.is_axis(*local) && !bound(*local) && !is_picking(*local),
                Term::Operation(_) => {
                    let mut is_fixed = true;
                    term.for_each_variable(&mut |it| {
                        is_fixed &= !self.is_axis(it) && !bound(it) && self.loop_variable_range(it).is_none();
                    });
                    is_fixed
                }
            }
        };
        let terms = access.index.terms.iter().filter(|it| !is_common(it)).cloned().collect();
        access.index = Affine { terms, constant: access.index.constant };
        access
    }

    fn loop_variable_range(&self, local: LocalId) -> Option<Range> {
        *self.loop_variables.get(&local)?
    }

    /// The range of a variable in an access.
    fn range(&self, access: &Access, local: LocalId) -> Option<Range> {
        let axis = self.axes.iter().find(|it| it.0 == local).map(|it| (0, it.1));
        axis.or_else(|| access.bound(local)).or_else(|| self.loop_variable_range(local))
    }

    /// The only variable of two accesses without a known range; `None` if there are several.
    #[expect(clippy::option_option, reason = "there may be none, and there may be too many")]
    fn unknown_variables(&self, a: &Access, b: &Access) -> Option<Option<LocalId>> {
        let mut unknown: Vec<LocalId> = Vec::new();
        for access in [a, b] {
            for local in variables(access) {
                if self.range(access, local).is_none() && !unknown.contains(&local) {
                    unknown.push(local);
                }
            }
        }
        match unknown[..] {
            [] => Some(None),
            [one] => Some(Some(one)),
            _ => None,
        }
    }

    /// Representative values of a variable.
    fn sampled_values(&self, unknown: LocalId, a: &Access, b: &Access) -> Option<Vec<i64>> {
        let of = |it: &Access| {
            let conditions = it.conditions.iter().map(|it| it.max_magnitude()).max().unwrap_or(0);
            it.index.max_magnitude().max(conditions)
        };
        let largest = self.axes.iter().map(|it| it.1.unsigned_abs() + 1).fold(of(a).max(of(b)), u64::max);
        let largest = i64::try_from(largest).ok().filter(|_| largest <= MAX_NUMBER)?;
        let first = if self.is_non_negative(unknown) { 0 } else { -2 * largest };
        Some((first..=2 * largest).chain([LARGE_VALUE]).collect())
    }

    /// Two threads of which one writes what the other reads, for given values of variables without a range.
    fn conflict_at(&self, write: &Access, read: &Access, given: &Values) -> Option<ConflictExample> {
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
        let is_own = self.axes.iter().any(|it| write.index.mentions(it.0));
        let several = writers.values().any(|it| it.1.is_some());
        if !is_own && several {
            return None;
        }
        read_elements.iter().find_map(|(element, reader)| {
            let (first, other) = writers.get(element)?;
            let writer = if first != reader { Some(*first) } else { *other }?;
            Some(ConflictExample {
                reader: self.thread_index(*reader),
                writer: self.thread_index(writer),
                block: self.sampled_block(),
                block_index: None,
            })
        })
    }

    /// The accessed elements, each with the number of its thread; `None` if they are unknown or too many.
    fn elements(&self, access: &Access, given: &Values) -> Option<Vec<(i64, u32)>> {
        let mut ranges: Vec<(LocalId, Range)> = self.axes.iter().map(|it| (it.0, (0, it.1))).collect();
        for local in variables(access) {
            if !self.is_axis(local) && !given.contains_key(&local) {
                ranges.push((local, self.range(access, local)?));
            }
        }
        let combinations =
            ranges.iter().try_fold(1_usize, |product, it| product.checked_mul(count(it.1)?))?;
        if combinations > MAX_COMBINATIONS {
            return None;
        }
        let mut found = Vec::with_capacity(combinations);
        let mut values = given.clone();
        for combination in 0..combinations {
            let (mut rest, mut thread) = (combination, 0_u32);
            for (local, range) in ranges.iter().rev() {
                let count = count(*range)?;
                values.insert(*local, range.0 + i64::try_from(rest % count).ok()?);
                rest /= count;
            }
            for (axis, last) in &self.axes {
                let size = u32::try_from(last.checked_add(1)?).ok()?;
                thread = thread.checked_mul(size)?.checked_add(u32::try_from(values[axis]).ok()?)?;
            }
            let value_of = |local: LocalId| values.get(&local).copied();
            let mut is_done = true;
            for condition in &access.conditions {
                is_done &= condition.evaluate(&value_of)?;
            }
            if is_done {
                found.push((access.index.evaluate(&value_of)?, thread));
            }
        }
        Some(found)
    }

    /// The indices of the thread with this number.
    fn thread_index(&self, number: u32) -> ThreadIndex {
        let mut rest = i64::from(number);
        let mut indices: Vec<i64> = Vec::new();
        for (_, last) in self.axes.iter().rev() {
            indices.insert(0, rest % (last + 1));
            rest /= last + 1;
        }
        ThreadIndex(indices)
    }

    /// The size of the block, if it is a sample.
    fn sampled_block(&self) -> Vec<i64> {
        match self.is_sampled {
            true => self.axes.iter().map(|it| it.1 + 1).collect(),
            false => Vec::new(),
        }
    }
}

/// The variables of an index and its conditions, each once.
fn variables(access: &Access) -> Vec<LocalId> {
    let mut found: Vec<LocalId> = Vec::new();
    let mut add = |local: LocalId| {
        if !found.contains(&local) {
            found.push(local);
        }
    };
    access.index.for_each_variable(&mut add);
    access.conditions.iter().for_each(|it| it.for_each_variable(&mut add));
    found
}
