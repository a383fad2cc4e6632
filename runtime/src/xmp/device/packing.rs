//! Sections of a memory as packed elements.

use super::memory::BlockMemory;
use super::pairs;
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
    let mut elements = vec![0; bytes];
    // SAFETY: the caller's boxes, and all of the elements.
    unsafe { memory.gather(&copies, &mut elements)? };
    Ok(elements)
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
    // SAFETY: the caller's boxes, and all of the elements.
    unsafe { memory.scatter(elements, &copies) }
}
