//! Transfers of packed elements between the host and a device in pieces of limited size, so that packing
//! takes little memory of the device.

use crate::device::BoxCopy;

/// Most bytes that are packed on the device at once.
const MAX_PACKED_BYTES: u64 = 64 << 20;
/// Contiguous bytes from which on a transfer of their own takes no longer than packing them with others.
const DIRECT_BYTES: u64 = 4 << 20;

/// Copies whose packed sides follow each other.
#[derive(Debug)]
pub(super) struct Piece {
    /// Where the packed side begins.
    pub(super) offset: u64,
    /// Its bytes.
    pub(super) bytes: u64,
    /// The copies, one at least.
    pub(super) copies: Vec<BoxCopy>,
}

impl Piece {
    /// The copy of a piece that is contiguous on both sides, and needs no packing.
    pub(super) fn direct(&self) -> Option<&BoxCopy> {
        match &self.copies[..] {
            [only] if only.is_contiguous() => Some(only),
            _ => None,
        }
    }
}

/// Copies as pieces; `packed` is the offset of a copy on its packed side, on which it is contiguous.
pub(super) fn pieces(copies: &[BoxCopy], packed: impl Fn(&BoxCopy) -> u64) -> Vec<Piece> {
    pieces_of(copies, packed, (MAX_PACKED_BYTES, DIRECT_BYTES))
}

fn pieces_of(copies: &[BoxCopy], packed: impl Fn(&BoxCopy) -> u64, (max, direct): (u64, u64)) -> Vec<Piece> {
    let mut parts = Vec::new();
    copies.iter().filter(|it| it.bytes() > 0).for_each(|it| split(*it, max, &mut parts));
    let is_alone = |it: &BoxCopy| it.is_contiguous() && it.bytes() >= direct;
    let mut found: Vec<Piece> = Vec::new();
    for part in parts {
        let (offset, bytes) = (packed(&part), part.bytes());
        let joins = |it: &&mut Piece| {
            it.offset + it.bytes == offset && it.bytes + bytes <= max && !it.copies.iter().any(is_alone)
        };
        match found.last_mut().filter(joins).filter(|_| !is_alone(&part)) {
            Some(last) => {
                last.bytes += bytes;
                last.copies.push(part);
            }
            None => found.push(Piece { offset, bytes, copies: vec![part] }),
        }
    }
    found
}

/// Divides a copy along its outer axes into some of at most `max` bytes, or of one run.
fn split(copy: BoxCopy, max: u64, all: &mut Vec<BoxCopy>) {
    let outer = copy.axes.iter().position(|it| it.count > 1);
    let Some(outer) = outer.filter(|_| copy.bytes() > max) else { return all.push(copy) };
    let axis = copy.axes[outer];
    let inner = copy.bytes() / u64::from(axis.count);
    let several = u32::try_from(max / inner).unwrap_or(u32::MAX).clamp(1, axis.count);
    for first in (0..axis.count).step_by(several as usize) {
        let mut part = copy;
        part.axes[outer].count = several.min(axis.count - first);
        part.source = part.source.wrapping_add_signed(i64::from(first) * axis.from);
        part.target = part.target.wrapping_add_signed(i64::from(first) * axis.to);
        split(part, max, all);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::device::{BOX_AXES, BoxAxis};

    /// Rows of `run` bytes with gaps in the source.
    fn copy(source: u64, target: u64, run: u32, counts: [u32; BOX_AXES]) -> BoxCopy {
        let mut axes = [BoxAxis::ONE; BOX_AXES];
        let (mut from, mut to) = (i64::from(run), i64::from(run));
        for (axis, count) in axes.iter_mut().zip(counts).rev() {
            from += 3;
            *axis = BoxAxis { count, from, to };
            (from, to) = (from * i64::from(count), to * i64::from(count));
        }
        BoxCopy { source, target, run, axes }
    }

    /// Where each run of copies comes from and goes to, and its bytes.
    fn runs(copies: &[BoxCopy]) -> Vec<(u64, u64, u32)> {
        let mut parts = Vec::new();
        copies.iter().for_each(|it| split(*it, 1, &mut parts));
        parts.iter().map(|it| (it.source, it.target, it.run)).collect()
    }

    #[test]
    fn contiguous_elements_are_not_packed() {
        let long = copy(64, 0, 1 << 30, [1; BOX_AXES]);
        let found = pieces(&[long], |it| it.target);
        assert_eq!((found.len(), found[0].direct()), (1, Some(&long)));
        let rows = copy(0, 0, 1 << 20, [1, 1, 1, 700]);
        let found = pieces(&[rows], |it| it.target);
        assert_eq!((found.len(), found[0].bytes, found[10].bytes), (11, 64 << 20, 60 << 20));
        assert_eq!((found[1].offset, found[1].direct()), (64 << 20, None));
    }

    proptest! {
        #[test]
        fn pieces_have_all_runs_in_order(
            boxes in prop::collection::vec((1_u32..9, prop::array::uniform4(1_u32..5)), 1..5),
            max in 1_u64..200, direct in 1_u64..20,
        ) {
            let (mut all, mut target) = (Vec::new(), 0);
            for (run, counts) in boxes {
                all.push(copy(target * 100, target, run, counts));
                target += all[all.len() - 1].bytes();
            }
            let found = pieces_of(&all, |it| it.target, (max, direct));
            let mut end = 0;
            for piece in &found {
                prop_assert_eq!(piece.offset, end);
                end += piece.bytes;
                prop_assert!(piece.bytes <= max || piece.direct().is_some());
                prop_assert_eq!(piece.bytes, piece.copies.iter().map(BoxCopy::bytes).sum::<u64>());
            }
            prop_assert_eq!(end, target);
            let divided: Vec<BoxCopy> = found.into_iter().flat_map(|it| it.copies).collect();
            prop_assert_eq!(runs(&divided), runs(&all));
        }
    }
}
