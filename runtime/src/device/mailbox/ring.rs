//! Doorbells: a ring of block numbers in the order in which their requests were made, written by many blocks
//! and read by one thread. An entry is valid when its upper half is the number of the lap around the ring, so
//! that the reader resets none (the commit word of Lamport's ring buffers for many writers). A block has one
//! request at a time, and the ring an entry for each block at least: it is never full.

use std::sync::atomic::{AtomicU64, Ordering};

/// Logarithm of the number of entries for that many blocks.
pub(super) fn ring_bits(blocks: u32) -> u32 {
    blocks.next_power_of_two().trailing_zeros()
}

/// The reader's side.
pub(super) struct Doorbells<'a> {
    entries: &'a [AtomicU64],
    bits: u32,
    /// The next ticket; tickets wrap.
    next: u32,
}

impl<'a> Doorbells<'a> {
    /// Of a ring with a power of two of entries, all 0. `first` is the first ticket, a whole number of laps.
    pub(super) fn new(entries: &'a [AtomicU64], first: u32) -> Doorbells<'a> {
        Doorbells { entries, bits: entries.len().trailing_zeros(), next: first }
    }

    /// The block that has rung next, if one has.
    pub(super) fn next(&mut self) -> Option<u32> {
        let entry = self.entries[self.next as usize & (self.entries.len() - 1)].load(Ordering::Acquire);
        if (entry >> 32) as u32 != lap(self.next, self.bits) {
            return None;
        }
        self.next = self.next.wrapping_add(1);
        Some(entry as u32)
    }
}

/// The commit word of a ticket.
pub(super) fn lap(ticket: u32, bits: u32) -> u32 {
    (ticket >> bits).wrapping_add(1)
}
