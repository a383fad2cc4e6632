//! Occupancy: `autoBlocks()` and `autoThreads()`. The block size that keeps most threads resident, by the
//! driver's own calculation, among the sizes that X10 prefers, and as many blocks as the device holds at
//! once.

use crate::device::error::DeviceError;

/// Block sizes, the preferred ones first: between sizes that keep as many threads resident the earlier one
/// wins. Blocks of 128 to 512 threads balance well at barriers and at the end of a grid; others are for
/// kernels that these do not fit.
pub(crate) const SIZES: [i32; 12] = [256, 128, 512, 192, 384, 320, 448, 1024, 768, 640, 64, 32];

/// What `autoBlocks()` is at a host place, as in X10.
pub const HOST_BLOCKS: i32 = 8;
/// What `autoThreads()` is at a host place, as in X10.
pub const HOST_THREADS: i32 = 1;

/// The best block size; `resident` tells how many threads a multiprocessor then holds (0: the size does not
/// fit).
pub(crate) fn best_size(
    resident: &mut dyn FnMut(i32) -> Result<i32, DeviceError>,
) -> Result<Option<i32>, DeviceError> {
    let mut best = None;
    for size in SIZES {
        let threads = resident(size)?;
        if threads > best.map_or(0, |(_, most)| most) {
            best = Some((size, threads));
        }
    }
    Ok(best.map(|(size, _)| size))
}

/// The first of some block sizes that fits; `resident` as for [`best_size`].
pub(crate) fn first_size(
    choices: &[i32],
    resident: &mut dyn FnMut(i32) -> Result<i32, DeviceError>,
) -> Result<Option<i32>, DeviceError> {
    for size in choices {
        if resident(*size)? > 0 {
            return Ok(Some(*size));
        }
    }
    Ok(None)
}

/// The first of some numbers of blocks that the device holds at once, or the last one; all that it holds if
/// there are none.
pub(crate) fn block_count(choices: &[i32], held: i32) -> i32 {
    let fits = choices.iter().find(|it| **it <= held);
    *fits.or(choices.last()).unwrap_or(&held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_choice_that_fits() {
        let first = |choices: &[i32], most: i32| {
            first_size(choices, &mut |size| Ok(if size > most { 0 } else { size })).expect("no device asked")
        };
        assert_eq!(first(&[512, 64, 128], 1024), Some(512));
        assert_eq!(first(&[512, 64, 128], 300), Some(64));
        assert_eq!(first(&[512, 256], 64), None);
    }

    #[test]
    fn blocks_that_are_held_at_once() {
        assert_eq!(block_count(&[], 264), 264);
        assert_eq!(block_count(&[512, 256, 128], 264), 256);
        assert_eq!(block_count(&[2048, 1024], 264), 1024);
    }

    fn best(mut resident: impl FnMut(i32) -> i32) -> Option<i32> {
        best_size(&mut |size| Ok(resident(size))).expect("no device asked")
    }

    #[test]
    fn equal_sizes_go_by_preference() {
        assert_eq!(best(|size| 2048 / size * size), Some(256));
    }

    #[test]
    fn more_resident_threads_win() {
        // 2048 threads, but at most 6 blocks: only 384 and more fill the multiprocessor.
        assert_eq!(best(|size| (2048 / size).min(6) * size), Some(512));
    }

    #[test]
    fn registers_can_forbid_large_blocks() {
        assert_eq!(best(|size| if size > 64 { 0 } else { size }), Some(64));
        assert_eq!(best(|_| 0), None);
    }
}
