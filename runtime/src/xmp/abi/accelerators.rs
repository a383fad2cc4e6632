//! Constructs on the memory of the node's accelerator (XcalableACC 1.0, chapter 3).

use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use std::sync::Arc;

use super::constructs::{self, widths};
use super::declare::array_state;
use super::{async_number, run};
use crate::offload::resident::{self, Resident};
use crate::xmp::error::{Result, XmpError};
use crate::xmp::exchange::Plan;
use crate::xmp::layout::{self, Site, text};
use crate::xmp::mailbox::Construct;
use crate::xmp::node::Node;

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
            exchange(node, array, plan, async_number(asynchronous))
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
            exchange(node, array, plan, async_number(asynchronous))
        }
    });
}

/// Executes exchanges of a block in the memory of the device.
///
/// # Safety
/// An array of the program, whose block the plans are of; without `number` nothing else uses its shadow until
/// this returns, with it until `wait_async`.
unsafe fn exchange(
    node: &mut Node,
    array: *mut layout::Array,
    phases: Arc<Vec<Plan>>,
    number: Option<i64>,
) -> Result<()> {
    // SAFETY: the caller's.
    let (state, address) = unsafe { (array_state(array)?, (*array).address as usize) };
    let bytes = state.placed()?.block.bytes();
    let Some(resident) = find(&state.name, address, bytes)? else { return Ok(()) };
    match resident.host_memory() {
        // SAFETY: the device is the CPUs; the caller's block.
        Some(memory) => unsafe { node.exchange(phases, Construct::Reflect, memory, memory, number) },
        // SAFETY: the caller's block.
        None => unsafe {
            node.exchange_on_device(phases, Construct::Reflect, Box::new(resident), bytes, number)
        },
    }
}
