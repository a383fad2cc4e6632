//! Sections of memory of the program that an accelerator has a copy of.

use super::pairs;
use crate::device::BoxCopy;
use crate::offload::resident::{self, Problem, Resident};
use crate::xmp::error::{Result, XmpError};
use crate::xmp::strided::{StridedBox, pack_all, total_bytes, unpack_all};

/// The copy of the memory of boxes from an address on, and where in it that address would be.
///
/// # Errors
/// There is no accelerator, or it has no copy of them all.
fn copy_of(address: usize, boxes: &[StridedBox]) -> Result<(Resident, i64)> {
    let absent = || {
        XmpError::new("this memory is not in that of the accelerator")
            .hint("write `#pragma acc declare create(...)`, or `#pragma acc data` around it")
    };
    let spans = boxes.iter().map(StridedBox::span);
    let span = spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
    let first = address.wrapping_add_signed(span.start as isize);
    match resident::find(first, (span.end - span.start) as u64) {
        Ok(found) => Ok((found.ok_or_else(absent)?, -span.start)),
        Err(Problem::Absent) => Err(absent()),
        Err(Problem::Device(message)) => Err(XmpError::new(message)),
    }
}

fn too_divided() -> XmpError {
    XmpError::new("a section has too many axes with gaps for copies in the memory of an accelerator")
}

/// The elements of boxes from an address of the host on, as the accelerator has them.
///
/// # Errors
/// As [`unpack`].
///
/// # Safety
/// The boxes are in memory of the program.
pub(in crate::xmp) unsafe fn pack(address: usize, boxes: &[StridedBox]) -> Result<Vec<u8>> {
    let total = total_bytes(boxes);
    if total == 0 {
        return Ok(Vec::new());
    }
    let (copy, origin) = copy_of(address, boxes)?;
    if let Some(memory) = copy.host_memory() {
        // SAFETY: the caller's boxes, in a copy of their memory.
        return Ok(unsafe { pack_all(boxes, memory.wrapping_offset(origin as isize)) });
    }
    let whole = [StridedBox::new(0, &[], total)];
    let base = copy.address().wrapping_add_signed(origin);
    let copies = pairs::copies(boxes, base, &whole, 0).ok_or_else(too_divided)?;
    let at = |buffer: u64| copies.iter().map(|it| BoxCopy { target: it.target + buffer, ..*it }).collect();
    // SAFETY: the caller's boxes, and all of the buffer.
    unsafe { copy.gather(total, at) }.map_err(XmpError::new)
}

/// Stores packed elements in boxes from an address of the host on, in the copy of the accelerator.
///
/// # Errors
/// There is no accelerator, or it has no copy of them all, or it has failed.
///
/// # Safety
/// The boxes are in memory of the program, and have as many bytes as there are.
pub(in crate::xmp) unsafe fn unpack(address: usize, boxes: &[StridedBox], elements: &[u8]) -> Result<()> {
    if elements.is_empty() {
        return Ok(());
    }
    let (copy, origin) = copy_of(address, boxes)?;
    if let Some(memory) = copy.host_memory() {
        // SAFETY: the caller's boxes, in a copy of their memory.
        unsafe { unpack_all(boxes, memory.wrapping_offset(origin as isize), elements) };
        return Ok(());
    }
    let whole = [StridedBox::new(0, &[], elements.len())];
    let base = copy.address().wrapping_add_signed(origin);
    let copies = pairs::copies(&whole, 0, boxes, base).ok_or_else(too_divided)?;
    let at = |buffer: u64| copies.iter().map(|it| BoxCopy { source: it.source + buffer, ..*it }).collect();
    // SAFETY: the caller's boxes, and all of the buffer.
    unsafe { copy.scatter(elements, at) }.map_err(XmpError::new)
}
