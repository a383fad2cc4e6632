//! Local loop bounds: the iterations of a distributed loop that a node executes, as runs with a constant step
//! (XcalableMP 1.4, section 5.4; Koelbel and Mehrotra, "Compiling Global Name-Space Parallel Loops for
//! Distributed Execution", TPDS 1991).

use super::distribution::{AxisMap, Layout};
use super::error::{Result, XmpError};
use super::layout::Range;

/// Which iterations of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMode {
    /// Its own.
    Whole,
    /// Those, and some more of the loop's at the ends.
    Expand,
    /// What [`LoopMode::Expand`] has more.
    Margin,
    /// Its own without some at the ends.
    Interior,
    /// What is missing in [`LoopMode::Interior`].
    Peel,
}

impl LoopMode {
    /// By its number in `apg_xmp.h`.
    pub fn from_number(number: i32) -> Option<LoopMode> {
        use LoopMode::*;
        [Whole, Expand, Margin, Interior, Peel].get(usize::try_from(number).ok()?).copied()
    }
}

/// A loop of the program: `for (i = first; i <= last; i += step)`, with `>=` for a negative step.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// Its first iteration.
    pub first: i64,
    /// Its last iteration, or beyond.
    pub last: i64,
    /// The distance of iterations.
    pub step: i64,
}

/// The iterations of a loop over indices next to an axis alone, at most `width` of them on one side, if it is
/// one: programs prepare shadows so, and no node owns these elements.
pub fn beside(map: &AxisMap, offset: i64, whole: Loop, width: i64) -> Option<Range> {
    let Loop { first, last, step } = whole;
    let is_empty = if step > 0 { first > last } else { first < last };
    if step == 0 || is_empty {
        return None;
    }
    let reached = first + (last - first) / step * step;
    let (low, high) = (first.min(reached), first.max(reached));
    let (lowest, highest) = (map.first - offset, map.last - offset);
    let is_below = high < lowest && low >= lowest.saturating_sub(width);
    let is_above = low > highest && high <= highest.saturating_add(width);
    let bounds = if step > 0 { (1, 0) } else { (0, 1) };
    let none = Range { step, stride: step.saturating_abs(), low, high, ..Range::default() };
    (is_below || is_above).then_some(Range { first: bounds.0, last: bounds.1, ..none })
}

/// The iterations that a node executes if iteration `i` belongs to index `i + offset` of an axis; of a node
/// without indices if `node` is none. With `is_unbound` the widened modes leave the bounds of the loop.
///
/// # Errors
/// The step is 0, or the loop has iterations outside of the axis, or the mode has no meaning for its
/// distribution: the words for the user.
pub fn local_range(
    map: &AxisMap,
    node: Option<i64>,
    offset: i64,
    whole: Loop,
    mode: LoopMode,
    (below, above): (i64, i64),
    is_unbound: bool,
) -> Result<Range> {
    let Loop { first, last, step } = whole;
    if step == 0 {
        return Err(XmpError::new("the step of the loop is 0"));
    }
    let mut range = Range { step, stride: step.saturating_abs(), ..Range::default() };
    // Without a run the first one is empty, for unsigned iteration variables as well.
    (range.first, range.last) = if step > 0 { (1, 0) } else { (0, 1) };
    let is_empty = if step > 0 { first > last } else { first < last };
    if is_empty {
        return Ok(range);
    }
    let count = (last - first) / step;
    let reached = first + count * step;
    (range.low, range.high) = (first.min(reached), first.max(reached));
    let (lowest, highest) = (map.first - offset, map.last - offset);
    if range.low < lowest || range.high > highest {
        let index = if range.low < lowest { range.low } else { range.high };
        return Err(XmpError::new(format!(
            "iteration {index} is at index {}, and the axis has the indices {} to {}",
            index + offset,
            map.first,
            map.last
        )));
    }
    let Some(node) = node else { return Ok(range) };
    if is_unbound {
        range.low -= (below.max(0) + range.stride - 1) / range.stride * range.stride;
        range.high += (above.max(0) + range.stride - 1) / range.stride * range.stride;
    }
    match &map.layout {
        Layout::Whole => {
            let blocks = (lowest, highest);
            set_blocks(&mut range, blocks, mode, below, above);
        }
        Layout::Blocks(starts) => {
            let blocks = (starts[node as usize] - offset, starts[node as usize + 1] - 1 - offset);
            if blocks.0 <= blocks.1 {
                set_blocks(&mut range, blocks, mode, below, above);
            }
        }
        Layout::Cyclic { origin, width, nodes } => {
            if mode != LoopMode::Whole {
                return Err(XmpError::new(
                    "`expand`, `margin` and `peel_and_wait` are for axes in blocks, and this one is cyclic",
                ));
            }
            set_cyclic(&mut range, origin - offset + node * width, *width, width * nodes);
        }
    }
    if range.runs > 0 {
        (range.first, range.last) = range.run(0);
    }
    Ok(range)
}

/// The runs of a node with the indices from `first` to `last`.
fn set_blocks(range: &mut Range, (first, last): (i64, i64), mode: LoopMode, below: i64, above: i64) {
    let (below, above) = (below.max(0), above.max(0));
    let mut set = |block: i64, width: i64| {
        (range.runs, range.block, range.width) = (1, block, width.max(0));
    };
    let inner = (first + below, last - above);
    match mode {
        LoopMode::Whole => set(first, last - first + 1),
        LoopMode::Expand => set(first - below, last + above - (first - below) + 1),
        LoopMode::Interior => set(inner.0, inner.1 - inner.0 + 1),
        // Where nothing is inside, all of it is at the ends.
        LoopMode::Peel if inner.0 > inner.1 => set(first, last - first + 1),
        LoopMode::Peel => set_two(range, (first, below), (inner.1 + 1, above)),
        LoopMode::Margin => set_two(range, (first - below, below), (last + 1, above)),
    }
}

/// Two runs: their first indices and sizes.
fn set_two(range: &mut Range, low: (i64, i64), high: (i64, i64)) {
    range.runs = 2;
    (range.block, range.width) = low;
    (range.period, range.other_width) = (high.0 - low.0, high.1);
}

/// The runs of blocks that begin at `start`, `start + period`, ...
fn set_cyclic(range: &mut Range, start: i64, width: i64, period: i64) {
    // The first block that ends behind the lowest iteration.
    let skipped = (range.low - (start + width - 1)).max(0);
    let block = start + (skipped + period - 1) / period * period;
    if block > range.high {
        return;
    }
    if width == 1 {
        // One progression: every block has at most one iteration.
        let own = super::progression::Progression::up_to(block, range.high, period);
        let all = super::progression::Progression::up_to(range.low, range.high, range.stride);
        let Some(own) = own.zip(all).and_then(|(own, all)| own.intersect(all)) else { return };
        (range.runs, range.block, range.low, range.high) = (1, own.first, own.first, own.last());
        (range.width, range.stride) = (own.last() - own.first + 1, own.step);
        range.step = if range.step > 0 { own.step } else { -own.step };
        return;
    }
    (range.runs, range.block, range.period) = ((range.high - block) / period + 1, block, period);
    (range.width, range.other_width) = (width, width);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::xmp::distribution::tests::any_map;

    fn iterations(range: &Range) -> Vec<i64> {
        let mut found = Vec::new();
        for k in 0..range.runs {
            let (first, last) = range.run(k);
            let mut index = first;
            while if range.step > 0 { index <= last } else { index >= last } {
                found.push(index);
                index += range.step;
            }
        }
        found
    }

    fn all(whole: Loop) -> Vec<i64> {
        let reaches = |it: &i64| if whole.step > 0 { *it <= whole.last } else { *it >= whole.last };
        (0..).map(|at| whole.first + at * whole.step).take_while(reaches).collect()
    }

    proptest! {
        #[test]
        fn iterations_are_those_of_the_owner_in_order(
            (nodes, map) in (1_i64..6).prop_flat_map(|nodes| any_map(nodes).prop_map(move |map| (nodes, map))),
            offset in -4_i64..5, a in 0_i64..40, b in 0_i64..40, step in (-4_i64..5).prop_filter("a step", |it| *it != 0),
        ) {
            let inside = |it: i64| (map.first + it).min(map.last) - offset;
            let whole = Loop { first: inside(a), last: inside(b), step };
            prop_assume!(map.size() > 0);
            for node in 0..nodes {
                let range = local_range(&map, Some(node), offset, whole, LoopMode::Whole, (0, 0), false).expect("a range");
                let expected: Vec<i64> = all(whole).into_iter().filter(|it| map.owner(it + offset) == node).collect();
                prop_assert_eq!(iterations(&range), expected);
            }
        }

        #[test]
        fn parts_of_a_block_add_up(
            size in 1_i64..30, below in 0_i64..4, above in 0_i64..4, node in 0_i64..3, step in 1_i64..3, first in 0_i64..4,
        ) {
            let map = AxisMap::block(0, size + 3, None, 3).expect("blocks");
            let whole = Loop { first: first.min(size), last: size + 3, step };
            let of = |mode| iterations(&local_range(&map, Some(node), 0, whole, mode, (below, above), false).expect("a range"));
            let sorted = |mut list: Vec<i64>| { list.sort_unstable(); list };
            let (own, expanded) = (of(LoopMode::Whole), of(LoopMode::Expand));
            prop_assert_eq!(sorted([of(LoopMode::Interior), of(LoopMode::Peel)].concat()), own.clone());
            if !own.is_empty() {
                prop_assert_eq!(sorted([own, of(LoopMode::Margin)].concat()), expanded);
            }
        }
    }

    #[test]
    fn range_without_iterations_is_empty_for_unsigned_variables() {
        let map = AxisMap::block(0, 0, None, 2).expect("blocks");
        for (step, bounds) in [(1, (1, 0)), (-1, (0, 1))] {
            let whole = Loop { first: 0, last: 0, step };
            let range =
                local_range(&map, Some(1), 0, whole, LoopMode::Whole, (0, 0), false).expect("a range");
            assert_eq!((range.runs, (range.first, range.last)), (0, bounds));
        }
        // A node whose one block begins behind the loop.
        let map = AxisMap::block(0, 7, None, 2).expect("blocks");
        let whole = Loop { first: 0, last: 3, step: 1 };
        let range = local_range(&map, Some(1), 0, whole, LoopMode::Whole, (0, 0), false).expect("a range");
        assert_eq!((range.first, range.last), (1, 0));
    }

    #[test]
    fn iteration_outside_of_the_template_is_an_error() {
        let map = AxisMap::block(1, 8, None, 2).expect("blocks");
        let whole = Loop { first: 0, last: 7, step: 1 };
        let error =
            local_range(&map, Some(0), 0, whole, LoopMode::Whole, (0, 0), false).expect_err("refused");
        assert_eq!(error.message, "iteration 0 is at index 0, and the axis has the indices 1 to 8");
        assert!(local_range(&map, Some(0), 1, whole, LoopMode::Whole, (0, 0), false).is_ok());
        let next = Loop { first: -2, last: 0, step: 1 };
        assert!(local_range(&map, Some(0), 0, next, LoopMode::Whole, (0, 0), false).is_err());
        let range = beside(&map, 0, next, 3).expect("in the shadow");
        assert_eq!((range.runs, range.first, range.last), (0, 1, 0));
        assert!(beside(&map, 0, next, 2).is_none() && beside(&map, 0, whole, 3).is_none());
        assert!(beside(&map, 0, Loop { first: 10, last: 9, step: -1 }, 2).is_some());
        assert!(
            local_range(&map, Some(0), 1, Loop { step: 0, ..whole }, LoopMode::Whole, (0, 0), false).is_err()
        );
    }
}
