//! Strided boxes of memory, and their packing into contiguous buffers (MPI standard, "Derived Datatypes":
//! vectors of vectors; here with runs of bytes innermost).

use std::ops::Range;

use smallvec::SmallVec;

/// Elements at equal distances along several axes, from an address on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StridedBox {
    /// Bytes from the base to the first element.
    pub offset: i64,
    /// Number of runs and distance in bytes along each axis, the last one varies fastest.
    pub axes: SmallVec<[(i64, i64); 4]>,
    /// Contiguous bytes of a run.
    pub run: usize,
}

impl StridedBox {
    /// Elements of `bytes` bytes: `axes` are counts and distances in bytes.
    pub fn new(offset: i64, axes: &[(i64, i64)], bytes: usize) -> StridedBox {
        let mut kept: SmallVec<[(i64, i64); 4]> = SmallVec::new();
        let mut run = bytes;
        for (count, stride) in axes.iter().rev().copied().filter(|it| it.0 != 1) {
            match kept.first().copied() {
                // The axis continues the next inner one.
                Some((inner, inner_stride)) if stride == inner * inner_stride => kept[0].0 = inner * count,
                None if stride == run as i64 => run *= count as usize,
                _ => kept.insert(0, (count, stride)),
            }
        }
        StridedBox { offset, axes: kept, run }
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.axes.iter().map(|it| it.0 as usize).product::<usize>() * self.run
    }

    /// All bytes are one run.
    pub fn is_contiguous(&self) -> bool {
        self.axes.is_empty()
    }

    /// The bytes from the base on between which all elements are.
    pub fn span(&self) -> Range<i64> {
        let (mut low, mut high) = (self.offset, self.offset);
        for (count, stride) in &self.axes {
            let reach = (count - 1) * stride;
            if reach < 0 { low += reach } else { high += reach }
        }
        low..high + self.run as i64
    }

    /// Calls `each` for the offset of each run, in order.
    fn for_each_run(&self, each: &mut impl FnMut(i64)) {
        fn walk(axes: &[(i64, i64)], offset: i64, each: &mut impl FnMut(i64)) {
            match axes {
                [] => each(offset),
                [(count, stride)] => (0..*count).for_each(|at| each(offset + at * stride)),
                [(count, stride), rest @ ..] => {
                    (0..*count).for_each(|at| walk(rest, offset + at * stride, each))
                }
            }
        }
        walk(&self.axes, self.offset, each);
    }

    /// The runs: where each begins, from the base on, and its bytes.
    pub fn runs(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        self.for_each_run(&mut |offset| found.push((offset as usize, self.run)));
        found
    }

    /// Appends all elements to a buffer.
    ///
    /// # Safety
    /// They are in memory that may be read, from `base` on.
    pub unsafe fn pack(&self, base: *const u8, out: &mut Vec<u8>) {
        let bytes = self.bytes();
        out.reserve(bytes);
        // SAFETY: there is room for them behind the elements of the buffer.
        let mut to = unsafe { out.as_mut_ptr().add(out.len()) };
        let run = self.run;
        self.for_each_run(&mut |offset| {
            // SAFETY: the caller's memory; `to` stays within the room, which has as many bytes as all runs.
            unsafe {
                copy_run(base.offset(offset as isize), to, run);
                to = to.add(run);
            }
        });
        // SAFETY: these bytes are written.
        unsafe { out.set_len(out.len() + bytes) };
    }

    /// Writes all elements from the start of a buffer, and returns what is behind them.
    ///
    /// # Panics
    /// If the buffer is shorter.
    ///
    /// # Safety
    /// The elements are in memory that may be written, from `base` on, and not in the buffer.
    pub unsafe fn unpack<'a>(&self, base: *mut u8, from: &'a [u8]) -> &'a [u8] {
        let (own, rest) = from.split_at(self.bytes());
        let mut next = own.as_ptr();
        let run = self.run;
        self.for_each_run(&mut |offset| {
            // SAFETY: the caller's memory; `next` stays within `own`, which has as many bytes as all runs.
            unsafe {
                copy_run(next, base.offset(offset as isize), run);
                next = next.add(run);
            }
        });
        rest
    }
}

/// Copies a run. The usual sizes of elements are a load and a store.
///
/// # Safety
/// As of a copy that does not overlap.
#[inline(always)]
unsafe fn copy_run(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            _ => std::ptr::copy_nonoverlapping(from, to, bytes),
        }
    }
}

/// The runs of boxes, one after the other.
struct Runs<'a> {
    boxes: std::slice::Iter<'a, StridedBox>,
    current: Option<&'a StridedBox>,
    /// The position along each axis of the current box.
    at: SmallVec<[i64; 4]>,
    offset: i64,
}

impl<'a> Runs<'a> {
    fn new(boxes: &'a [StridedBox]) -> Runs<'a> {
        let mut runs = Runs { boxes: boxes.iter(), current: None, at: SmallVec::new(), offset: 0 };
        runs.next_box();
        runs
    }

    fn next_box(&mut self) {
        self.current = self.boxes.by_ref().find(|it| it.bytes() > 0);
        if let Some(it) = self.current {
            self.at = it.axes.iter().map(|_| 0).collect();
            self.offset = it.offset;
        }
    }
}

impl Iterator for Runs<'_> {
    /// Offset and bytes of a run.
    type Item = (i64, usize);

    fn next(&mut self) -> Option<(i64, usize)> {
        let current = self.current?;
        let run = (self.offset, current.run);
        for ((count, stride), at) in current.axes.iter().zip(&mut self.at).rev() {
            *at += 1;
            self.offset += stride;
            if *at < *count {
                return Some(run);
            }
            self.offset -= stride * count;
            *at = 0;
        }
        self.next_box();
        Some(run)
    }
}

/// Copies the elements of boxes to others with as many bytes, in order.
///
/// # Safety
/// The elements are in memory from `source` on that may be read, and in memory from `target` on that may be
/// written, and none is in both.
pub(super) unsafe fn copy_boxes(from: &[StridedBox], source: *const u8, to: &[StridedBox], target: *mut u8) {
    let (mut reads, mut writes) = (Runs::new(from), Runs::new(to));
    let (mut read, mut write) = ((0, 0), (0, 0));
    loop {
        if read.1 == 0 {
            let Some(next) = reads.next() else { return };
            read = next;
        }
        if write.1 == 0 {
            let Some(next) = writes.next() else { return };
            write = next;
        }
        let bytes = read.1.min(write.1);
        // SAFETY: parts of runs of the caller's memory.
        unsafe { copy_run(source.offset(read.0 as isize), target.offset(write.0 as isize), bytes) };
        read = (read.0 + bytes as i64, read.1 - bytes);
        write = (write.0 + bytes as i64, write.1 - bytes);
    }
}

/// Bytes of several boxes.
pub fn total_bytes(boxes: &[StridedBox]) -> usize {
    boxes.iter().map(StridedBox::bytes).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn axes_that_continue_each_other_are_one_run() {
        let whole = StridedBox::new(8, &[(3, 40), (5, 8)], 8);
        assert_eq!((whole.axes.len(), whole.run, whole.bytes()), (0, 120, 120));
        let rows = StridedBox::new(0, &[(3, 80), (5, 8)], 8);
        assert_eq!((&rows.axes[..], rows.run), (&[(3, 80)][..], 40));
        let column = StridedBox::new(0, &[(2, 400), (5, 80), (1, 8)], 8);
        assert_eq!((&column.axes[..], column.run), (&[(10, 80)][..], 8));
        assert_eq!(rows.span(), 0..200);
        assert_eq!(StridedBox::new(16, &[(3, -8)], 8).span(), 0..24);
    }

    proptest! {
        #[test]
        fn copied_elements_are_those_that_are_packed_and_unpacked(
            outer in 1_i64..4, inner in 1_i64..5, from_gap in 0_i64..3, to_gap in 0_i64..3, splits in any::<bool>(),
        ) {
            let boxes = |gap: i64, splits: bool| {
                let row = (inner + gap) * 2;
                match splits {
                    true => (0..outer).map(|at| StridedBox::new(at * row, &[(inner, 2)], 2)).collect(),
                    false => vec![StridedBox::new(0, &[(outer, row), (inner, 2)], 2)],
                }
            };
            let (from, to) = (boxes(from_gap, splits), boxes(to_gap, !splits));
            let source: Vec<u8> = (0..64).collect();
            let (mut packed, mut expected, mut found) = (Vec::new(), vec![0; 64], vec![0; 64]);
            // SAFETY: the elements are in these arrays.
            unsafe {
                from.iter().for_each(|it| it.pack(source.as_ptr(), &mut packed));
                let mut rest = &packed[..];
                to.iter().for_each(|it| rest = it.unpack(expected.as_mut_ptr(), rest));
                copy_boxes(&from, source.as_ptr(), &to, found.as_mut_ptr());
            }
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn packed_elements_are_unpacked_in_order() {
        let source: Vec<u8> = (0..48).collect();
        let column = StridedBox::new(2, &[(3, 16), (2, 4)], 2);
        let mut packed = Vec::new();
        // SAFETY: the elements are in `source`.
        unsafe { column.pack(source.as_ptr(), &mut packed) };
        assert_eq!(packed, [2, 3, 6, 7, 18, 19, 22, 23, 34, 35, 38, 39]);
        packed.push(99);
        let mut target = vec![0_u8; 48];
        // SAFETY: the elements are in `target`.
        let rest = unsafe { column.unpack(target.as_mut_ptr(), &packed) };
        assert_eq!(rest, [99]);
        assert_eq!((target[2], target[7], target[39], target[4]), (2, 7, 39, 0));
    }
}
