//! Extents of a launch.

use crate::layout::Launch;

/// Blocks of a launch and threads of a block on each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents {
    /// Blocks.
    pub blocks: [i32; 3],
    /// Threads of a block.
    pub threads: [i32; 3],
}

impl Extents {
    /// Of a launch.
    pub fn of(launch: &Launch) -> Extents {
        Extents { blocks: launch.blocks, threads: launch.threads }
    }
}
