//! Boxes of two memories with the same elements in the same order, as copies from one to the other.

use smallvec::SmallVec;

use crate::device::{BOX_AXES, BoxAxis, BoxCopy};
use crate::xmp::strided::{StridedBox, total_bytes};

/// Most copies that a pair of boxes with many axes becomes.
const MAX_COPIES: usize = 4096;
/// Bytes of the pieces of runs that are longer than the length of a run.
const LONG_RUN: i64 = 1 << 30;

/// Copies of the elements of boxes to others with as many bytes; addresses are those of the boxes' bases.
/// `None` where the boxes are divided too differently, or have too many axes: such elements go by way of a
/// contiguous buffer.
pub(super) fn copies(
    from: &[StridedBox],
    source: u64,
    to: &[StridedBox],
    target: u64,
) -> Option<Vec<BoxCopy>> {
    if total_bytes(from) != total_bytes(to) {
        return None;
    }
    let mut all = Vec::new();
    match (from, to) {
        ([whole], parts) if whole.is_contiguous() => {
            for (part, own) in parts.iter().zip(split_like(whole, parts)) {
                pair(&own, source, part, target, &mut all)?;
            }
        }
        (parts, [whole]) if whole.is_contiguous() => {
            for (part, own) in parts.iter().zip(split_like(whole, parts)) {
                pair(part, source, &own, target, &mut all)?;
            }
        }
        _ if from.len() == to.len() => {
            for (from, to) in from.iter().zip(to) {
                pair(from, source, to, target, &mut all)?;
            }
        }
        _ => return None,
    }
    Some(all)
}

/// A contiguous box as boxes with as many bytes as others.
fn split_like<'a>(whole: &StridedBox, parts: &'a [StridedBox]) -> impl Iterator<Item = StridedBox> + 'a {
    let mut offset = whole.offset;
    parts.iter().map(move |part| {
        let own = StridedBox::new(offset, &[], part.bytes());
        offset += part.bytes() as i64;
        own
    })
}

/// What is left of one side: its axes, the innermost last, and the bytes of a run.
struct Side {
    axes: SmallVec<[(i64, i64); 4]>,
    run: i64,
}

impl Side {
    fn new(of: &StridedBox) -> Side {
        Side { axes: of.axes.clone(), run: of.run as i64 }
    }

    /// Has runs of that many bytes at most, if they divide its runs.
    fn split_run(&mut self, run: i64) -> Option<()> {
        if self.run % run != 0 {
            return None;
        }
        if self.run > run {
            self.axes.push((self.run / run, run));
            self.run = run;
        }
        Some(())
    }

    /// Takes that many runs of the innermost axis: their distance.
    fn take(&mut self, count: i64) -> Option<i64> {
        let last = self.axes.last_mut()?;
        if last.0 % count != 0 {
            return None;
        }
        let stride = last.1;
        *last = (last.0 / count, stride * count);
        if last.0 == 1 {
            self.axes.pop();
        }
        Some(stride)
    }
}

/// Appends the copies of one box to another.
fn pair(from: &StridedBox, source: u64, to: &StridedBox, target: u64, all: &mut Vec<BoxCopy>) -> Option<()> {
    if from.bytes() != to.bytes() {
        return None;
    }
    if from.bytes() == 0 {
        return Some(());
    }
    let (mut read, mut write) = (Side::new(from), Side::new(to));
    let run = read.run.min(write.run);
    read.split_run(run)?;
    write.split_run(run)?;
    let mut axes: Vec<BoxAxis> = Vec::new();
    while let (Some(a), Some(b)) = (read.axes.last(), write.axes.last()) {
        let count = a.0.min(b.0);
        let (from, to) = (read.take(count)?, write.take(count)?);
        axes.insert(0, BoxAxis { count: u32::try_from(count).ok()?, from, to });
    }
    // Runs that are longer than the length of one are copied piece by piece.
    let is_long = run > i64::from(u32::MAX);
    let outer = if is_long { axes.len() } else { axes.len().saturating_sub(BOX_AXES) };
    let copies: usize = axes[..outer].iter().map(|it| it.count as usize).product();
    if copies > MAX_COPIES {
        return None;
    }
    let mut inner = [BoxAxis::ONE; BOX_AXES];
    inner[BOX_AXES - (axes.len() - outer)..].copy_from_slice(&axes[outer..]);
    for number in 0..copies {
        let (mut rest, mut read, mut write) = (number, from.offset, to.offset);
        for axis in axes[..outer].iter().rev() {
            let at = (rest % axis.count as usize) as i64;
            rest /= axis.count as usize;
            read += at * axis.from;
            write += at * axis.to;
        }
        for at in (0..run).step_by(if is_long { LONG_RUN } else { run } as usize) {
            all.push(BoxCopy {
                source: source.wrapping_add_signed(read + at),
                target: target.wrapping_add_signed(write + at),
                run: if is_long { LONG_RUN.min(run - at) } else { run } as u32,
                axes: inner,
            });
        }
    }
    Some(())
}

/// Executes copies on the host, as the kernel does on a device.
///
/// # Safety
/// Their sources may be read and their targets written, and none is both.
pub(super) unsafe fn execute(copies: impl IntoIterator<Item = BoxCopy>) {
    for copy in copies {
        let runs = copy.bytes() / u64::from(copy.run);
        for number in 0..runs {
            let (mut rest, mut from, mut to) = (number, copy.source, copy.target);
            for axis in copy.axes.iter().rev() {
                let at = (rest % u64::from(axis.count)) as i64;
                rest /= u64::from(axis.count);
                from = from.wrapping_add_signed(at * axis.from);
                to = to.wrapping_add_signed(at * axis.to);
            }
            // SAFETY: the caller's.
            unsafe {
                std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, copy.run as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use proptest::prelude::*;

    use super::*;
    use crate::xmp::strided::copy_boxes;

    #[test]
    fn boxes_that_are_divided_differently_have_common_axes() {
        // Four rows of six ints, contiguous on one side.
        let (rows, whole) = (StridedBox::new(0, &[(4, 40), (6, 4)], 4), StridedBox::new(8, &[], 96));
        let found = copies(from_ref(&rows), 1000, from_ref(&whole), 2000).expect("a copy");
        let axis = BoxAxis { count: 4, from: 40, to: 24 };
        let axes = [BoxAxis::ONE, BoxAxis::ONE, BoxAxis::ONE, axis];
        assert_eq!(found, [BoxCopy { source: 1000, target: 2008, run: 24, axes }]);
        assert_eq!(copies(&[whole], 0, &[rows.clone(), rows], 0), None, "other numbers of bytes");
        let (three, two) =
            (StridedBox::new(0, &[(3, 80), (2, 16)], 8), StridedBox::new(0, &[(2, 80), (3, 16)], 8));
        assert_eq!(copies(&[three], 0, &[two], 0), None, "two does not divide three");
    }

    #[test]
    fn long_runs_are_copied_piece_by_piece() {
        let bytes = 5_600_000_004;
        let whole = StridedBox::new(8, &[], bytes);
        let found = copies(from_ref(&whole), 1000, from_ref(&StridedBox::new(0, &[], bytes)), 2000);
        let found = found.expect("copies");
        let last = found.last().expect("a copy");
        assert_eq!((found.len(), last.source, last.target), (6, 1008 + (5 << 30), 2000 + (5 << 30)));
        assert_eq!(found.iter().map(BoxCopy::bytes).sum::<u64>(), bytes as u64);
        let rows = StridedBox::new(0, &[(2, 6_000_000_000)], bytes);
        let found = copies(from_ref(&rows), 0, &[StridedBox::new(0, &[], 2 * bytes)], 0).expect("copies");
        let second = found[6];
        assert_eq!((found.len(), second.source, second.target), (12, 6_000_000_000, bytes as u64));
    }

    #[test]
    fn axes_beyond_those_of_a_copy_become_copies() {
        let axes: Vec<(i64, i64)> = (0..6).map(|it| (2, 3 << (2 * (6 - it)))).collect();
        let (many, whole) = (StridedBox::new(0, &axes, 4), StridedBox::new(0, &[], 256));
        let found = copies(&[many], 0, &[whole], 0).expect("copies");
        assert_eq!((found.len(), found[3].target, found[3].source), (4, 192, (3 << 12) + (3 << 10)));
    }

    proptest! {
        #[test]
        fn copies_are_those_of_the_host(
            counts in prop::collection::vec(1_i64..4, 1..6), gaps in prop::collection::vec((0_i64..3, 0_i64..3), 5),
            is_packed in 0_u8..3,
        ) {
            let boxed = |gap: &dyn Fn(usize) -> i64| {
                let (mut distance, mut axes) = (4, Vec::new());
                for (axis, count) in counts.iter().enumerate().rev() {
                    axes.insert(0, (*count, distance));
                    distance = distance * count + 4 * gap(axis);
                }
                StridedBox::new(0, &axes, 4)
            };
            let (from, to) = (boxed(&|it| if is_packed == 1 { 0 } else { gaps[it].0 }),
                boxed(&|it| if is_packed == 2 { 0 } else { gaps[it].1 }));
            let bytes = from.span().end.max(to.span().end) as usize;
            let source: Vec<u8> = (0..bytes).map(|it| it as u8).collect();
            let (mut expected, mut found) = (vec![0_u8; bytes], vec![0_u8; bytes]);
            if let Some(all) = copies(from_ref(&from), source.as_ptr() as u64, from_ref(&to), found.as_mut_ptr() as u64) {
                // SAFETY: both boxes are inside of the arrays.
                unsafe {
                    execute(all);
                    copy_boxes(&[from], source.as_ptr(), &[to], expected.as_mut_ptr());
                }
                prop_assert_eq!(found, expected);
            } else {
                prop_assert!(is_packed == 0, "a contiguous side is divided like the other one");
            }
        }
    }
}
