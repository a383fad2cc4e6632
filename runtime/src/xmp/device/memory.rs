//! What an exchange needs of memory, which is that of an accelerator or of the host.

use std::sync::Arc;

use super::pairs::execute;
use crate::device::{BoxCopy, PeerHandle};
use crate::offload::resident::{Exported, Resident};
use crate::xmp::error::{Result, XmpError};

/// Memory with a block of a global array, or with an array of the node.
pub(in crate::xmp) trait BlockMemory: Send + Sync {
    /// Where the block begins.
    fn address(&self) -> u64;

    /// Whether it is memory of the host, which an accelerator does not copy from or to.
    fn is_host(&self) -> bool;

    /// How other nodes of this host reach the block, if they do.
    fn export(&self) -> Option<Exported>;

    /// Where this accelerator reaches memory of another node of this host; `None` if it does not.
    fn open(&self, handle: &PeerHandle) -> Option<u64>;

    /// Begins copies, which have no order.
    ///
    /// # Safety
    /// The boxes stay valid until [`BlockMemory::end_copies`] returns, and no target is a source.
    unsafe fn begin_copies(&self, copies: &[BoxCopy]) -> Result<()>;

    /// Waits for the end of all copies.
    fn end_copies(&self) -> Result<()>;

    /// Packs elements: the targets of the copies are offsets in `elements`, where each is contiguous and
    /// behind the one before it.
    ///
    /// # Safety
    /// The sources are inside of the block, and the targets inside of the elements.
    unsafe fn gather(&self, copies: &[BoxCopy], elements: &mut [u8]) -> Result<()>;

    /// Stores packed elements: the sources of the copies are offsets in `elements`, as the targets of
    /// [`BlockMemory::gather`].
    ///
    /// # Safety
    /// The targets are inside of the block, and the sources inside of the elements.
    unsafe fn scatter(&self, elements: &[u8], copies: &[BoxCopy]) -> Result<()>;
}

/// Memory of the host: of nodes without an accelerator, of CPUs as an accelerator, and of a side of an
/// assignment that is not on the accelerator.
pub(in crate::xmp) struct HostMemory(*mut u8);

// SAFETY: memory of the program; who makes it says how long it is used.
unsafe impl Send for HostMemory {}
// SAFETY: likewise.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Memory from an address on.
    pub(in crate::xmp) fn new(address: *mut u8) -> HostMemory {
        HostMemory(address)
    }
}

impl BlockMemory for HostMemory {
    fn address(&self) -> u64 {
        self.0 as u64
    }

    fn is_host(&self) -> bool {
        true
    }

    fn export(&self) -> Option<Exported> {
        None
    }

    fn open(&self, _: &PeerHandle) -> Option<u64> {
        None
    }

    unsafe fn begin_copies(&self, copies: &[BoxCopy]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { execute(copies.iter().copied()) };
        Ok(())
    }

    fn end_copies(&self) -> Result<()> {
        Ok(())
    }

    unsafe fn gather(&self, copies: &[BoxCopy], elements: &mut [u8]) -> Result<()> {
        let start = elements.as_mut_ptr() as u64;
        let at = |it: &BoxCopy| BoxCopy { target: start + it.target, ..*it };
        // SAFETY: the caller's boxes, and its elements.
        unsafe { execute(copies.iter().map(at)) };
        Ok(())
    }

    unsafe fn scatter(&self, elements: &[u8], copies: &[BoxCopy]) -> Result<()> {
        let start = elements.as_ptr() as u64;
        let at = |it: &BoxCopy| BoxCopy { source: start + it.source, ..*it };
        // SAFETY: the caller's boxes, and its elements.
        unsafe { execute(copies.iter().map(at)) };
        Ok(())
    }
}

/// The memories of an exchange. Those of a reflection are one and the same.
#[derive(Clone)]
pub(in crate::xmp) struct Memories {
    /// Where elements come from.
    pub(in crate::xmp) source: Arc<dyn BlockMemory>,
    /// Where they go to.
    pub(in crate::xmp) target: Arc<dyn BlockMemory>,
}

impl Memories {
    /// One memory within which elements are copied.
    pub(in crate::xmp) fn one(memory: Arc<dyn BlockMemory>) -> Memories {
        Memories { source: Arc::clone(&memory), target: memory }
    }
}

impl BlockMemory for Resident {
    fn address(&self) -> u64 {
        Resident::address(self)
    }

    fn is_host(&self) -> bool {
        // The memory of CPUs is used as `HostMemory`.
        false
    }

    fn export(&self) -> Option<Exported> {
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

    unsafe fn gather(&self, copies: &[BoxCopy], elements: &mut [u8]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { Resident::gather(self, copies, elements) }.map_err(XmpError::new)
    }

    unsafe fn scatter(&self, elements: &[u8], copies: &[BoxCopy]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { Resident::scatter(self, elements, copies) }.map_err(XmpError::new)
    }
}
