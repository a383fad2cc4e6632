//! Constructs on the memory of the node's accelerator (XcalableACC 1.0, chapter 3).

use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use std::sync::Arc;

use super::constructs::{self, widths};
use super::declare::array_state;
use super::run;
use crate::offload::resident::{self, Resident};
use crate::xmp::error::{Result, XmpError};
use crate::xmp::exchange::Plan;
use crate::xmp::layout::{self, Site, text};
use crate::xmp::mailbox::Construct;
use crate::xmp::node::Node;
use crate::xmp::strided::StridedBox;

pub(super) extern "C" fn elements(array: *const layout::Array) -> c_long {
    run(std::ptr::null(), |_| {
        // SAFETY: an array of the program.
        let state = unsafe { array_state(array)? };
        let bytes = state.element_bytes().max(1) as u64;
        Ok((state.placed()?.block.bytes() / bytes) as c_long)
    })
}

pub(super) extern "C" fn present(
    site: *const Site,
    name: *const c_char,
    address: *const c_void,
    bytes: c_ulong,
) {
    run(site, |_| find(&text(name), address as usize, bytes).map(drop));
}

/// What the device has of a range; `None` without a device.
fn find(name: &str, address: usize, bytes: u64) -> Result<Option<Resident>> {
    resident::find(address, bytes).map_err(|error| match error {
        resident::Problem::Absent => {
            XmpError::new(format!("`{name}` is not in the memory of the accelerator")).hint(format!(
                "write `#pragma acc data copy({name})` or `#pragma xmp acc replicate ({name})` around it"
            ))
        }
        resident::Problem::Device(message) => XmpError::new(message),
    })
}

pub(super) extern "C" fn reflect(
    site: *const Site,
    array: *mut layout::Array,
    list: *const layout::Width,
    orthogonal: c_int,
    asynchronous: *const c_long,
) {
    if !resident::has_device() {
        return constructs::reflect(site, array, list, orthogonal, asynchronous);
    }
    run(site, |node| {
        // SAFETY: an array of the program and what the edit has written.
        unsafe {
            let state = array_state(array)?;
            let plan = state.plan_reflect(widths(list, state.rank()), orthogonal != 0)?;
            exchange(node, array, &plan)
        }
    });
}

pub(super) extern "C" fn reflect_do(
    site: *const Site,
    array: *mut layout::Array,
    asynchronous: *const c_long,
) {
    if !resident::has_device() {
        return constructs::reflect_do(site, array, asynchronous);
    }
    run(site, |node| {
        // SAFETY: an array of the program.
        unsafe {
            let plan = array_state(array)?.kept()?;
            exchange(node, array, &plan)
        }
    });
}

/// Executes the exchanges of a block of the device in a mirror of it on the host, of which the elements alone
/// are copied that are sent and received.
///
/// # Safety
/// An array of the program, whose block the plans are of.
unsafe fn exchange(node: &mut Node, array: *mut layout::Array, phases: &[Plan]) -> Result<()> {
    // SAFETY: the caller's.
    let (state, address) = unsafe { (array_state(array)?, (*array).address as usize) };
    let bytes = state.placed()?.block.bytes();
    if bytes == 0 {
        return Ok(());
    }
    let Some(resident) = find(&state.name, address, bytes)? else { return Ok(()) };
    let mut mirror = vec![0_u8; bytes as usize];
    let base = mirror.as_mut_ptr();
    let device_error = |message: String| XmpError::new(message);
    for phase in phases {
        let sent = phase.sends.iter().flat_map(|it| &it.boxes);
        let read = sent.chain(phase.copies.iter().flat_map(|it| &it.0));
        for (start, length) in read.flat_map(StridedBox::runs) {
            // SAFETY: a run is inside of the block, and so of its mirror.
            unsafe { resident.download(start as u64, base.add(start), length) }.map_err(device_error)?;
        }
        // SAFETY: the boxes are inside of the mirror, which lives until the end of the exchange.
        unsafe { node.exchange(Arc::new(vec![phase.clone()]), Construct::Reflect, base, base, None)? };
        let received = phase.receives.iter().flat_map(|it| &it.boxes);
        let written = received.chain(phase.copies.iter().flat_map(|it| &it.1));
        for (start, length) in written.flat_map(StridedBox::runs) {
            // SAFETY: likewise.
            unsafe { resident.upload(base.add(start), start as u64, length) }.map_err(device_error)?;
        }
    }
    Ok(())
}
