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

    /// Calls `each` for each row of runs along the innermost axis, in order: the offset of its first run, how
    /// many there are, and their distance in bytes.
    fn for_each_row(&self, each: &mut impl FnMut(i64, i64, i64)) {
        fn walk(axes: &[(i64, i64)], offset: i64, each: &mut impl FnMut(i64, i64, i64)) {
            match axes {
                [] => each(offset, 1, 0),
                [(count, stride)] => each(offset, *count, *stride),
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
        self.for_each_row(&mut |offset, count, stride| {
            found.extend((0..count).map(|at| ((offset + at * stride) as usize, self.run)));
        });
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
        self.for_each_row(&mut |offset, count, stride| {
            // SAFETY: the caller's memory; `to` stays within the room, which has as many bytes as all runs.
            unsafe {
                let from = base.offset(offset as isize);
                copy_row(count as usize, run, (from, stride as isize), (to, run as isize));
                to = to.add(count as usize * run);
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
        self.for_each_row(&mut |offset, count, stride| {
            // SAFETY: the caller's memory; `next` stays within `own`, which has as many bytes as all runs.
            unsafe {
                let to = base.offset(offset as isize);
                copy_row(count as usize, run, (next, run as isize), (to, stride as isize));
                next = next.add(count as usize * run);
            }
        });
        rest
    }
}

/// Copies runs of some bytes, each at a distance in bytes from the former one. The usual sizes of elements
/// are a load and a store.
///
/// # Safety
/// As of copies that do not overlap.
unsafe fn copy_row(
    count: usize,
    run: usize,
    (mut from, from_stride): (*const u8, isize),
    (mut to, to_stride): (*mut u8, isize),
) {
    macro_rules! copy_elements {
        ($element:ty) => {
            for _ in 0..count {
                // SAFETY: the caller's.
                unsafe { to.cast::<$element>().write_unaligned(from.cast::<$element>().read_unaligned()) };
                from = from.wrapping_offset(from_stride);
                to = to.wrapping_offset(to_stride);
            }
        };
    }
    match run {
        8 => copy_elements!(u64),
        4 => copy_elements!(u32),
        16 => copy_elements!(u128),
        _ => {
            for _ in 0..count {
                // SAFETY: the caller's.
                unsafe { std::ptr::copy_nonoverlapping(from, to, run) };
                from = from.wrapping_offset(from_stride);
                to = to.wrapping_offset(to_stride);
            }
        }
    }
}

/// Rows of runs of boxes, one after the other.
struct Rows<'a> {
    boxes: std::slice::Iter<'a, StridedBox>,
    current: Option<&'a StridedBox>,
    /// The position along each axis of the current box but the innermost one.
    at: SmallVec<[i64; 4]>,
    offset: i64,
}

/// Runs of some bytes at equal distances.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    offset: i64,
    count: usize,
    stride: i64,
    run: usize,
}

impl<'a> Rows<'a> {
    fn new(boxes: &'a [StridedBox]) -> Rows<'a> {
        let mut rows = Rows { boxes: boxes.iter(), current: None, at: SmallVec::new(), offset: 0 };
        rows.next_box();
        rows
    }

    fn next_box(&mut self) {
        self.current = self.boxes.by_ref().find(|it| it.bytes() > 0);
        if let Some(it) = self.current {
            self.at = it.axes.iter().skip(1).map(|_| 0).collect();
            self.offset = it.offset;
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let current = self.current?;
        let Some(((count, stride), outer)) = current.axes.split_last() else {
            let row = Row { offset: self.offset, count: 1, stride: 0, run: current.run };
            self.next_box();
            return Some(row);
        };
        let row = Row { offset: self.offset, count: *count as usize, stride: *stride, run: current.run };
        for ((count, stride), at) in outer.iter().zip(&mut self.at).rev() {
            *at += 1;
            self.offset += stride;
            if *at < *count {
                return Some(row);
            }
            self.offset -= stride * count;
            *at = 0;
        }
        self.next_box();
        Some(row)
    }
}

/// A position in the runs of boxes.
struct Cursor<'a> {
    rows: Rows<'a>,
    /// What is left of the current row.
    row: Row,
    /// Bytes of its first run that are behind this position.
    done: usize,
}

impl<'a> Cursor<'a> {
    fn new(boxes: &'a [StridedBox]) -> Cursor<'a> {
        Cursor { rows: Rows::new(boxes), row: Row::default(), done: 0 }
    }

    /// Moves to the next row at the end of a row; whether there is something left.
    fn refill(&mut self) -> bool {
        if self.row.count == 0 {
            let Some(row) = self.rows.next() else { return false };
            self.row = row;
        }
        true
    }

    /// Where the position is, in bytes from the base on.
    fn offset(&self) -> isize {
        (self.row.offset + self.done as i64) as isize
    }

    /// Bytes that are left of the current run.
    fn left(&self) -> usize {
        self.row.run - self.done
    }

    fn skip_runs(&mut self, count: usize) {
        self.row.offset += count as i64 * self.row.stride;
        self.row.count -= count;
    }

    fn skip_bytes(&mut self, bytes: usize) {
        self.done += bytes;
        if self.done == self.row.run {
            self.done = 0;
            self.skip_runs(1);
        }
    }
}

/// Copies the elements of boxes to others with as many bytes, in order.
///
/// # Safety
/// The elements are in memory from `source` on that may be read, and in memory from `target` on that may be
/// written, and none is in both.
pub(super) unsafe fn copy_boxes(from: &[StridedBox], source: *const u8, to: &[StridedBox], target: *mut u8) {
    let (mut read, mut write) = (Cursor::new(from), Cursor::new(to));
    while read.refill() && write.refill() {
        // SAFETY: in runs of the caller's memory.
        let (from, to) = unsafe { (source.offset(read.offset()), target.offset(write.offset())) };
        if read.row.run == write.row.run && read.done == 0 && write.done == 0 {
            let count = read.row.count.min(write.row.count);
            let strides = (read.row.stride as isize, write.row.stride as isize);
            // SAFETY: whole runs of the caller's memory.
            unsafe { copy_row(count, read.row.run, (from, strides.0), (to, strides.1)) };
            read.skip_runs(count);
            write.skip_runs(count);
        } else if read.done == 0 && write.left() >= read.row.run {
            // Part of a longer run of the target.
            let (run, count) = (read.row.run, read.row.count.min(write.left() / read.row.run));
            // SAFETY: whole runs of the source, and as many bytes of a run of the target.
            unsafe { copy_row(count, run, (from, read.row.stride as isize), (to, run as isize)) };
            read.skip_runs(count);
            write.skip_bytes(count * run);
        } else if write.done == 0 && read.left() >= write.row.run {
            let (run, count) = (write.row.run, write.row.count.min(read.left() / write.row.run));
            // SAFETY: as many bytes of a run of the source, and whole runs of the target.
            unsafe { copy_row(count, run, (from, run as isize), (to, write.row.stride as isize)) };
            read.skip_bytes(count * run);
            write.skip_runs(count);
        } else {
            let bytes = read.left().min(write.left());
            // SAFETY: parts of runs of the caller's memory.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
            read.skip_bytes(bytes);
            write.skip_bytes(bytes);
        }
    }
}

/// The elements of boxes.
///
/// # Safety
/// They are in memory that may be read.
pub(super) unsafe fn pack_all(boxes: &[StridedBox], base: *const u8) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(total_bytes(boxes));
    // SAFETY: the caller's.
    boxes.iter().for_each(|it| unsafe { it.pack(base, &mut bytes) });
    bytes
}

/// Stores the elements of boxes.
///
/// # Safety
/// They are in memory that may be written.
pub(super) unsafe fn unpack_all(boxes: &[StridedBox], base: *mut u8, bytes: &[u8]) {
    let mut rest = bytes;
    // SAFETY: the caller's.
    boxes.iter().for_each(|it| rest = unsafe { it.unpack(base, rest) });
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
            outer in 1_i64..4, inner in 1_i64..5, bytes in prop::sample::select(vec![2_i64, 3, 4, 8]),
            gaps in prop::array::uniform4(0_i64..3), splits in any::<bool>(),
        ) {
            let boxes = |gap: i64, element_gap: i64, splits: bool| {
                let distance = bytes * (1 + element_gap);
                let row = inner * distance + gap;
                match splits {
                    true => (0..outer)
                        .map(|at| StridedBox::new(at * row, &[(inner, distance)], bytes as usize))
                        .collect(),
                    false => vec![StridedBox::new(0, &[(outer, row), (inner, distance)], bytes as usize)],
                }
            };
            let (from, to) = (boxes(gaps[0], gaps[1], splits), boxes(gaps[2], gaps[3], !splits));
            let source: Vec<u8> = (0..=255).cycle().take(400).collect();
            let (mut packed, mut expected, mut found) = (Vec::new(), vec![0; 400], vec![0; 400]);
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
