//! Memory of a mailbox as both sides know it: the structures of `apg_mailbox.h` and `apg_slot_table.h`.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::layout::SlotCall;

/// Flags of an answer.
pub(super) mod answer_flag {
    /// The call has failed: its block ends.
    pub(in super::super) const FAILED: u64 = 1;
    /// The block copies elements from its staging memory to [`super::Answer`]'s `target`.
    pub(in super::super) const STAGED: u64 = 2;
}

/// Bits of a state below the number of the call.
const FLAG_BITS: u32 = 2;
/// Bits of the number of the call below the number of bytes.
const TAG_BITS: u32 = 16;

/// Device memory: where the rest is, and the number of doorbells that were rung (`apg_mailbox`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    pub tickets: u32,
    /// Logarithm of the ring's number of entries.
    pub ring_bits: u32,
    pub ring: u64,
    pub posts: u64,
    pub answers: u64,
    /// Staging memory of each block for what it sends.
    pub sent: u64,
    /// Staging memory of each block for what it receives.
    pub received: u64,
    /// Bytes of the staging memory of one block and direction.
    pub staging: u64,
    /// Staging memory of each block on the device.
    pub kept: u64,
    /// The slots of groups for blocks of the device ([`PartEntry`]).
    pub parts: u64,
    /// Their number.
    pub part_count: u64,
}

impl Header {
    /// As it is stored in the memory of the device.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let Header {
            tickets,
            ring_bits,
            ring,
            posts,
            answers,
            sent,
            received,
            staging,
            kept,
            parts,
            part_count,
        } = self;
        let words = [ring, posts, answers, sent, received, staging, kept, parts, part_count];
        let counters = [tickets, ring_bits].into_iter().flat_map(u32::to_ne_bytes);
        counters.chain(words.into_iter().flat_map(u64::to_ne_bytes)).collect()
    }
}

/// The slots that a group has for blocks of the device (`apg_slot_part`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PartEntry {
    pub group: i64,
    pub first: u64,
    pub count: u64,
    /// The first of its [`SlotEntry`].
    pub slots: u64,
    /// Its [`Meeting`].
    pub meeting: u64,
}

impl PartEntry {
    /// As it is stored in the memory of the device.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let PartEntry { group, first, count, slots, meeting } = self;
        [group as u64, first, count, slots, meeting].into_iter().flat_map(u64::to_ne_bytes).collect()
    }
}

/// A slot as blocks know it (`apg_slot`), which they alone access; zero at the start.
#[repr(C, align(128))]
pub(super) struct SlotEntry([u8; 128]);

/// A collective operation of all slots of a part (`apg_meeting`), likewise.
#[repr(C, align(128))]
pub(super) struct Meeting([u8; 128]);

/// A request of a block (`apg_slot_post`).
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Post {
    pub call: SlotCall,
    /// 1 if the elements to send are in the block's staging memory.
    pub staged: u64,
    pub unused: u64,
}

/// The answer to a block's last call (`apg_slot_answer`).
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub(super) struct Answer {
    state: AtomicU64,
    word: AtomicU64,
    target: AtomicU64,
    /// Bytes above the lowest [`TAG_BITS`] of the call's number: each half of the answer says which call it
    /// is for, so that two lanes read them side by side.
    tagged_bytes: AtomicU64,
}

impl Answer {
    /// Answers a call of the block: the device reads `state` and `word` at once, and `target` and
    /// `tagged_bytes`.
    pub(super) fn write(&self, number: u64, flags: u64, word: i64, (target, bytes): (u64, u64)) {
        self.target.store(target, Ordering::Relaxed);
        self.tagged_bytes.store(bytes << TAG_BITS | number & ((1 << TAG_BITS) - 1), Ordering::Release);
        self.word.store(word as u64, Ordering::Relaxed);
        self.state.store(number << FLAG_BITS | flags, Ordering::Release);
    }

    /// Number of the call, flags, word, target and bytes.
    #[cfg(test)]
    pub(super) fn read(&self) -> (u64, u64, i64, (u64, u64)) {
        let state = self.state.load(Ordering::Acquire);
        let word = self.word.load(Ordering::Relaxed) as i64;
        let copied =
            (self.target.load(Ordering::Relaxed), self.tagged_bytes.load(Ordering::Relaxed) >> TAG_BITS);
        (state >> FLAG_BITS, state & ((1 << FLAG_BITS) - 1), word, copied)
    }
}

// As in `apg_mailbox.h` and `apg_slot_table.h`.
const _: () = assert!(size_of::<PartEntry>() == 40);
const _: () = assert!(size_of::<Header>() == 80 && size_of::<Post>() == 192 && size_of::<Answer>() == 64);
