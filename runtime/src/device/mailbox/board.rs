//! Division of a mailbox's host memory: a doorbell, a request and an answer for each block, and staging
//! memory of each block for both directions.

use std::sync::atomic::AtomicU32;

use super::layout::{AnswerWords, Header, PostWords};
use super::table::MAX_GROUPS;

/// Bytes of two words of each group that blocks know.
const GROUP_BYTES: usize = (2 * MAX_GROUPS * size_of::<AtomicU32>()).next_multiple_of(128);

/// The parts of a mailbox's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    start: *mut u8,
    /// Blocks of the launch.
    pub blocks: u32,
    /// Bytes of the staging memory of a block and direction; a multiple of 64.
    pub staging: usize,
}

// SAFETY: an address of memory that both sides access as atomic numbers, or by the one whose call it is.
unsafe impl Send for Board {}
// SAFETY: as above.
unsafe impl Sync for Board {}

impl Board {
    /// # Safety
    /// `start` is a multiple of 128, and [`Board::bytes`] bytes are there as long as the board is used; the
    /// first [`Board::control_bytes`] are 0.
    pub(super) unsafe fn new(start: *mut u8, blocks: u32, staging: usize) -> Board {
        Board { start, blocks, staging }
    }

    fn posts_at(blocks: u32) -> usize {
        (blocks as usize * size_of::<AtomicU32>()).next_multiple_of(align_of::<PostWords>())
    }

    fn answers_at(blocks: u32) -> usize {
        Self::posts_at(blocks) + blocks as usize * size_of::<PostWords>()
    }

    fn groups_at(blocks: u32) -> usize {
        Self::answers_at(blocks) + blocks as usize * size_of::<AnswerWords>()
    }

    /// Bytes in front of the staging memory.
    pub(super) fn control_bytes(blocks: u32) -> usize {
        Self::groups_at(blocks) + GROUP_BYTES
    }

    /// Bytes of all parts.
    pub(super) fn bytes(blocks: u32, staging: usize) -> usize {
        Self::control_bytes(blocks) + 2 * blocks as usize * staging
    }

    /// What the device knows of it; the rest is its own memory.
    pub(super) fn header(&self) -> Header {
        let start = self.start as u64;
        let sent = start + Self::control_bytes(self.blocks) as u64;
        Header {
            doorbells: start,
            posts: start + Self::posts_at(self.blocks) as u64,
            answers: start + Self::answers_at(self.blocks) as u64,
            sent,
            received: sent + u64::from(self.blocks) * self.staging as u64,
            staging: self.staging as u64,
            ..Header::default()
        }
    }

    /// Of each block, the number of its last call.
    pub(super) fn doorbells(&self) -> &[AtomicU32] {
        // SAFETY: by `new`: at the start of the memory, which is aligned.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.blocks as usize) }
    }

    /// The words of a block's request.
    pub(super) fn post(&self, block: u32) -> &PostWords {
        debug_assert!(block < self.blocks);
        let first = self.start.wrapping_add(Self::posts_at(self.blocks)).cast::<PostWords>();
        // SAFETY: by `new`: a request is atomic numbers, for which all bytes are values.
        unsafe { &*first.wrapping_add(block as usize) }
    }

    /// The words of a block's answer.
    pub(super) fn answer(&self, block: u32) -> &AnswerWords {
        debug_assert!(block < self.blocks);
        let first = self.start.wrapping_add(Self::answers_at(self.blocks)).cast::<AnswerWords>();
        // SAFETY: by `new`: an answer is atomic numbers, for which all bytes are values.
        unsafe { &*first.wrapping_add(block as usize) }
    }

    /// Whether a block has made a call of a slot of the group with that position in the table.
    pub(super) fn joined(&self, group: usize) -> &AtomicU32 {
        self.group_word(2 * group)
    }

    /// Whether the group with that position in the table has failed while blocks may wait for another device.
    pub(super) fn failed(&self, group: usize) -> &AtomicU32 {
        self.group_word(2 * group + 1)
    }

    fn group_word(&self, word: usize) -> &AtomicU32 {
        debug_assert!(word < 2 * MAX_GROUPS);
        let first = self.start.wrapping_add(Self::groups_at(self.blocks)).cast::<AtomicU32>();
        // SAFETY: by `new`: aligned atomic numbers, for which all bytes are values.
        unsafe { &*first.wrapping_add(word) }
    }

    /// The addresses of both.
    pub(super) fn group_words(&self, group: usize) -> [u64; 2] {
        [self.joined(group), self.failed(group)].map(|word| word.as_ptr() as u64)
    }

    /// Staging memory for what a block sends: the block's, until it has rung.
    pub(super) fn sent(&self, block: u32) -> *mut u8 {
        self.start.wrapping_add(Self::control_bytes(self.blocks) + block as usize * self.staging)
    }

    /// Staging memory for what a block receives: the host's, until it has answered.
    pub(super) fn received(&self, block: u32) -> *mut u8 {
        self.sent(block).wrapping_add(self.blocks as usize * self.staging)
    }
}
