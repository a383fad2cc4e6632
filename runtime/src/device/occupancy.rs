//! `autoBlocks()` and `autoThreads()`: the block size that keeps most threads resident, by the driver's own calculation, among
//! the sizes that X10 prefers, and as many blocks as the device holds at once.

use super::error::DeviceError;

/// Block sizes, the preferred ones first: between sizes that keep as many threads resident the earlier one wins. Blocks of
/// 128 to 512 threads balance well at barriers and at the end of a grid; others are for kernels that these do not fit.
pub const SIZES: [i32; 12] = [256, 128, 512, 192, 384, 320, 448, 1024, 768, 640, 64, 32];

/// What `autoBlocks()` is at a host place, as in X10.
pub const HOST_BLOCKS: i32 = 8;
/// What `autoThreads()` is at a host place, as in X10.
pub const HOST_THREADS: i32 = 1;

/// The best block size; `resident` tells how many threads a multiprocessor then holds (0: the size does not fit).
pub fn best_size(
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

#[cfg(test)]
mod tests {
    use super::*;

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
