//! Sections of a memory as packed elements.

use super::memory::BlockMemory;
use super::pairs;
use crate::device::BoxCopy;
use crate::xmp::error::{Result, XmpError};
use crate::xmp::strided::{StridedBox, total_bytes};

/// The error of boxes that no copies lead to.
fn too_divided() -> XmpError {
    XmpError::new("a section has too many axes with gaps for copies in the memory of an accelerator")
}

/// The elements of boxes of a memory, packed.
///
/// # Safety
/// The boxes are inside of the memory, which nothing else writes to.
pub(in crate::xmp) unsafe fn gather(memory: &dyn BlockMemory, boxes: &[StridedBox]) -> Result<Vec<u8>> {
    let bytes = total_bytes(boxes);
    let whole = [StridedBox::new(0, &[], bytes)];
    let copies = pairs::copies(boxes, memory.address(), &whole, 0).ok_or_else(too_divided)?;
    let at = |buffer: u64| copies.iter().map(|it| BoxCopy { target: it.target + buffer, ..*it }).collect();
    // SAFETY: the caller's boxes, and all of the buffer.
    unsafe { memory.gather(bytes, &at) }
}

/// Stores packed elements in boxes of a memory, which have as many bytes.
///
/// # Safety
/// The boxes are inside of the memory, which nothing else uses.
pub(in crate::xmp) unsafe fn scatter(
    memory: &dyn BlockMemory,
    boxes: &[StridedBox],
    elements: &[u8],
) -> Result<()> {
    let whole = [StridedBox::new(0, &[], elements.len())];
    let copies = pairs::copies(&whole, 0, boxes, memory.address()).ok_or_else(too_divided)?;
    let at = |buffer: u64| copies.iter().map(|it| BoxCopy { source: it.source + buffer, ..*it }).collect();
    // SAFETY: the caller's boxes, and all of the buffer.
    unsafe { memory.scatter(elements, &at) }
}
