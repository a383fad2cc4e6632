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

/// Bytes of several boxes.
pub fn total_bytes(boxes: &[StridedBox]) -> usize {
    boxes.iter().map(StridedBox::bytes).sum()
}

#[cfg(test)]
mod tests {
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
