//! What an exchange needs of the memory of a block on an accelerator.

use crate::device::{BoxCopy, PeerHandle};
use crate::offload::resident::Resident;
use crate::xmp::error::{Result, XmpError};

/// Memory of an accelerator with a block of a global array.
pub(in crate::xmp) trait BlockMemory: Send {
    /// The address of the block.
    fn address(&self) -> u64;

    /// What names the memory to other nodes of this host, and where the block begins in what it names; `None`
    /// where others do not reach it.
    fn export(&self) -> Option<(PeerHandle, u64)>;

    /// Where this accelerator reaches memory of another node of this host; `None` if it does not.
    fn open(&self, handle: &PeerHandle) -> Option<u64>;

    /// Begins copies, which have no order.
    ///
    /// # Safety
    /// The boxes stay valid until [`BlockMemory::end_copies`] returns, and no target is a source.
    unsafe fn begin_copies(&self, copies: &[BoxCopy]) -> Result<()>;

    /// Waits for the end of all copies.
    fn end_copies(&self) -> Result<()>;

    /// Elements that `pack` copies to the address of a buffer.
    ///
    /// # Safety
    /// The sources are inside of the block, and the targets inside of `bytes` bytes.
    unsafe fn gather(&self, bytes: usize, pack: &dyn Fn(u64) -> Vec<BoxCopy>) -> Result<Vec<u8>>;

    /// Stores elements, which `unpack` copies from the address of a buffer.
    ///
    /// # Safety
    /// The targets are inside of the block, and the sources inside of as many bytes as there are.
    unsafe fn scatter(&self, elements: &[u8], unpack: &dyn Fn(u64) -> Vec<BoxCopy>) -> Result<()>;
}

impl BlockMemory for Resident {
    fn address(&self) -> u64 {
        Resident::address(self)
    }

    fn export(&self) -> Option<(PeerHandle, u64)> {
        Resident::export(self)
    }

    fn open(&self, handle: &PeerHandle) -> Option<u64> {
        Resident::open(self, handle)
    }

    unsafe fn begin_copies(&self, copies: &[BoxCopy]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { Resident::begin_copies(self, copies) }.map_err(XmpError::new)
    }

    fn end_copies(&self) -> Result<()> {
        Resident::end_copies(self).map_err(XmpError::new)
    }

    unsafe fn gather(&self, bytes: usize, pack: &dyn Fn(u64) -> Vec<BoxCopy>) -> Result<Vec<u8>> {
        // SAFETY: the caller's.
        unsafe { Resident::gather(self, bytes, pack) }.map_err(XmpError::new)
    }

    unsafe fn scatter(&self, elements: &[u8], unpack: &dyn Fn(u64) -> Vec<BoxCopy>) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { Resident::scatter(self, elements, unpack) }.map_err(XmpError::new)
    }
}
