//! Constructs on the memory of the node's accelerator (XcalableACC 1.0, chapter 3).

use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use std::sync::Arc;

use super::constructs::{self, widths};
use super::declare::array_state;
use super::{async_number, run};
use crate::offload::resident::{self, Resident};
use crate::xmp::declarations::ArrayState;
use crate::xmp::device::{BlockMemory, Memories, sections};
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

/// The memory of an array's block: the accelerator's copy, or without an accelerator that of the host at
/// `address`.
fn block(state: &ArrayState, address: *mut u8) -> Result<Arc<dyn BlockMemory>> {
    let copy = find(&state.name, address as usize, state.placed()?.block.bytes())?;
    Ok(sections::whole(copy, address as usize))
}

pub(super) extern "C" fn reflect(
    site: *const Site,
    array: *mut layout::Array,
    list: *const layout::Width,
    orthogonal: c_int,
    asynchronous: *const c_long,
) {
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
    run(site, |node| {
        // SAFETY: an array of the program.
        unsafe {
            let plan = array_state(array)?.kept()?;
            exchange(node, array, plan, async_number(asynchronous))
        }
    });
}

pub(super) extern "C" fn reduce_shadow(
    site: *const Site,
    array: *mut layout::Array,
    list: *const layout::Width,
    asynchronous: *const c_long,
) {
    constructs::reduce_shadow_in(site, array, list, asynchronous, |it, address| block(it, address).map(Some));
}

/// Executes exchanges of a block in the memory of the accelerator.
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
    let (state, address) = unsafe { (array_state(array)?, (*array).address.cast()) };
    let memories = (Memories::one(block(state, address)?), resident::has_gpu());
    // SAFETY: the caller's block.
    unsafe { node.exchange_between(phases, Construct::Reflect, memories, None, number) }
}
