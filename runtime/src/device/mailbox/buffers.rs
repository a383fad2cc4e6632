//! Buffers of the host for long messages of a launch, used again and again: fresh memory costs a page fault
//! for each of its pages.

use parking_lot::Mutex;

/// Buffers that are kept.
const MAX_BUFFERS: usize = 16;
/// Bytes of the longest buffer that is kept.
const MAX_BUFFER_BYTES: usize = 64 << 20;

/// Spare buffers.
#[derive(Default)]
pub(super) struct BufferPool(Mutex<Vec<Vec<u8>>>);

impl BufferPool {
    /// A buffer of at least that many bytes, of any content.
    pub(super) fn take(&self, bytes: usize) -> Vec<u8> {
        let mut spare = self.0.lock();
        let fits = spare.iter().position(|it| it.len() >= bytes);
        let found = fits.map(|at| spare.swap_remove(at));
        drop(spare);
        found.unwrap_or_else(|| vec![0; bytes])
    }

    /// The buffer is not used any more.
    pub(super) fn give_back(&self, buffer: Vec<u8>) {
        let mut spare = self.0.lock();
        if spare.len() < MAX_BUFFERS && buffer.len() <= MAX_BUFFER_BYTES {
            spare.push(buffer);
        }
    }
}
