//! Sections of memory of the program that an accelerator has a copy of.

use std::sync::Arc;

use super::memory::{BlockMemory, HostMemory};
use super::packing::{gather, scatter};
use crate::offload::resident::{self, Problem, Resident};
use crate::xmp::error::{Result, XmpError};
use crate::xmp::strided::{StridedBox, pack_all, total_bytes, unpack_all};

/// Memory of boxes from an address of the host on, as the accelerator has it: as if it began there. Without
/// an accelerator that of the host.
///
/// # Errors
/// The accelerator has no copy of them all, or it has failed.
pub(in crate::xmp) fn memory_of(address: usize, boxes: &[StridedBox]) -> Result<Arc<dyn BlockMemory>> {
    let absent = || {
        XmpError::new("this memory is not in that of the accelerator")
            .hint("write `#pragma acc declare create(...)`, or `#pragma acc data` around it")
    };
    let spans = boxes.iter().filter(|it| it.bytes() > 0).map(StridedBox::span);
    let span = spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
    let first = address.wrapping_add_signed(span.start as isize);
    match resident::find(first, (span.end - span.start) as u64) {
        Ok(found) => Ok(whole(found.map(|it| it.of_part(span.start)), address)),
        Err(Problem::Absent) => Err(absent()),
        Err(Problem::Device(message)) => Err(XmpError::new(message)),
    }
}

/// The memory of a copy, or that of the host at `address` without a copy.
pub(in crate::xmp) fn whole(copy: Option<Resident>, address: usize) -> Arc<dyn BlockMemory> {
    match copy {
        None => Arc::new(HostMemory::new(address as *mut u8)),
        Some(copy) => match copy.host_memory() {
            Some(memory) => Arc::new(HostMemory::new(memory)),
            None => Arc::new(copy),
        },
    }
}

/// The elements of boxes from an address of the host on, as the accelerator has them.
///
/// # Errors
/// As [`unpack`].
///
/// # Safety
/// The boxes are in memory of the program.
pub(in crate::xmp) unsafe fn pack(address: usize, boxes: &[StridedBox]) -> Result<Vec<u8>> {
    if total_bytes(boxes) == 0 {
        return Ok(Vec::new());
    }
    let memory = memory_of(address, boxes)?;
    // SAFETY: the caller's boxes, in a copy of their memory.
    unsafe { gather(&*memory, boxes) }
}

/// Stores packed elements in boxes from an address of the host on, in the copy of the accelerator.
///
/// # Errors
/// The accelerator has no copy of them all, or it has failed.
///
/// # Safety
/// The boxes are in memory of the program, and have as many bytes as there are.
pub(in crate::xmp) unsafe fn unpack(address: usize, boxes: &[StridedBox], elements: &[u8]) -> Result<()> {
    if elements.is_empty() {
        return Ok(());
    }
    let memory = memory_of(address, boxes)?;
    // SAFETY: the caller's boxes, in a copy of their memory.
    unsafe { scatter(&*memory, boxes, elements) }
}

/// Elements of memory of the program, or of the accelerator's copy of it.
///
/// # Errors
/// As [`unpack`].
///
/// # Safety
/// The boxes are in memory of the program.
pub(in crate::xmp) unsafe fn load(
    on_device: bool,
    memory: *const u8,
    boxes: &[StridedBox],
) -> Result<Vec<u8>> {
    match on_device {
        // SAFETY: the caller's.
        true => unsafe { pack(memory as usize, boxes) },
        // SAFETY: the caller's.
        false => Ok(unsafe { pack_all(boxes, memory) }),
    }
}

/// Stores elements in memory of the program, or in the accelerator's copy of it.
///
/// # Errors
/// As [`unpack`].
///
/// # Safety
/// The boxes are in memory of the program, and have as many bytes.
pub(in crate::xmp) unsafe fn store(
    on_device: bool,
    memory: *mut u8,
    boxes: &[StridedBox],
    bytes: &[u8],
) -> Result<()> {
    match on_device {
        // SAFETY: the caller's.
        true => unsafe { unpack(memory as usize, boxes, bytes) },
        false => {
            // SAFETY: the caller's.
            unsafe { unpack_all(boxes, memory, bytes) };
            Ok(())
        }
    }
}
