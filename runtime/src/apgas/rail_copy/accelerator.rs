//! The ends of copies that are in memory of accelerators. A transport that reads and writes such memory gets
//! its addresses ([`DevicePuts`]); for all others the bytes go through a staging buffer of the host.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{
    Landing, acknowledge, add_landing, begin, check_flat, check_range, copies, device_memory, device_range,
};
use super::{host_of, leave, part, watch};
use crate::apgas::message::{PutHeader, Transfer};
use crate::apgas::system::{spawn_uncounted, system};
use crate::base::place::{PlaceId, here};
use crate::device::{self, Device, DeviceError, Kind, Upload};
use crate::heap::Ref;
use crate::layout::{GlobalRail, Outcome};
use crate::net::device_memory::DeviceMemory;
use crate::profile;
use crate::scheduler::ExternalEventGuard;
use crate::serialize::Error;

/// Starts a copy of `count` elements from a rail of an accelerator of this host to one of any accelerator, or
/// of another host; the caller's scope waits for it. `sample` is a rail of this place with the same type of
/// elements.
pub fn between(
    sample: Ref,
    source: GlobalRail,
    source_index: i64,
    target: GlobalRail,
    target_index: i64,
    count: i64,
) -> Outcome<()> {
    let element = part(sample, 0, 0)?.element;
    check_flat(sample)?;
    check_range("global rail to copy from", source_index, count, source.size)?;
    check_range("global rail to copy to", target_index, count, target.size)?;
    let bytes = count as u64 * element;
    let (from, source_address) = device_range(&source, source_index as u64 * element, bytes)?;
    let scope = system().engine().scope();
    let offset = target_index as u64 * element;
    let host = host_of(&target)?;
    if host != here() {
        let number = begin(scope, host, None, bytes);
        let transfer = Transfer { number, place: target.home, handle: target.handle, offset, bytes, element };
        spawn_uncounted(move || {
            let sent = put_from_device(host, &PutHeader::To(transfer), from, source_address, bytes);
            sent.unwrap_or_else(|error| fail_put(number, error));
        });
        return Ok(());
    }
    let (to, target_address) = device_range(&target, offset, bytes)?;
    scope.enter();
    let external = ExternalEventGuard::new();
    let done = Box::new(move |result| {
        leave(scope, result);
        drop(external);
    });
    let done = profile::copied(source.home, "asyncCopy between devices", bytes, done);
    watch(from.copy_to(source_address, to, target_address, bytes, done));
    Ok(())
}

/// A put of this host has failed before its bytes were sent.
fn fail_put(number: u64, error: DeviceError) {
    let pending = copies().pending.lock().remove(&number);
    pending.into_iter().for_each(|pending| leave(pending.scope, Err(error.clone())));
}

/// Puts bytes of an accelerator of this host to another host; waits until they are sent.
pub(super) fn put_from_device(
    to: PlaceId,
    header: &PutHeader,
    device: &Arc<Device>,
    address: u64,
    bytes: u64,
) -> Result<(), DeviceError> {
    if let Some(puts) = system().device_puts() {
        let transfer = device::Transfer::from_device(device, address, bytes)?;
        system().deliver_device_put(puts, to, header, &transfer.memory);
        return Ok(());
    }
    let mut staging = staging(bytes)?;
    staging.resize(bytes as usize, 0);
    let waiter = system().engine().waiter();
    let outcome = Arc::new(Mutex::new(Ok(())));
    let (wake, result) = (Arc::clone(&waiter), Arc::clone(&outcome));
    let done = Box::new(move |ended| {
        *result.lock() = ended;
        wake.wake();
    });
    {
        // Until the copy ends, it is no deadlock if all activities wait.
        let _external = ExternalEventGuard::new();
        // SAFETY: the memory lives until the wait has ended.
        unsafe { device.download(address, staging.as_mut_ptr(), bytes, done) };
        waiter.wait();
    }
    std::mem::replace(&mut *outcome.lock(), Ok(()))?;
    system().deliver_put(to, header, &staging);
    Ok(())
}

/// Handles the header of a put over a transport that writes to accelerators: the accelerator's memory to
/// which the bytes go. `None` leaves the put to [`super::begin_put`].
pub(in crate::apgas) fn begin_device_put(
    from: PlaceId,
    header: &[u8],
    length: u64,
) -> Result<Option<DeviceMemory>, Error> {
    let PutHeader::To(transfer) = PutHeader::decode(header)? else { return Ok(None) };
    let is_direct = transfer.bytes == length && system().device_puts().is_some();
    // An accelerator that is not in use has no memory of the program.
    let device = is_direct.then(|| system().open_device(transfer.place)).flatten();
    let address = (transfer.handle as u64).wrapping_add(transfer.offset);
    let found = device.and_then(|device| device::Transfer::to_device(&device, address, length).ok());
    let Some(found) = found else { return Ok(None) };
    let memory = found.memory.clone();
    add_landing(from, transfer.number, Landing::Device(found)).map(|()| Some(memory))
}

/// Allocates a staging buffer of `bytes` bytes for a copy between an accelerator and another host. The system
/// provides its pages on first write.
pub(super) fn staging(bytes: u64) -> Result<Vec<u8>, DeviceError> {
    let mut staging = Vec::new();
    match staging.try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX)) {
        Ok(()) => Ok(staging),
        Err(_) => {
            let message = format!("no memory for a copy of {bytes} bytes to or from an accelerator");
            Err(DeviceError::new(Kind::OutOfMemory, message))
        }
    }
}

/// Copies the bytes of a put from the staging buffer to an accelerator, then acknowledges the put.
pub(super) fn unload(from: PlaceId, transfer: Transfer, staging: Vec<u8>) {
    match device_memory(&transfer) {
        Err(error) => acknowledge(from, transfer.number, &error.message),
        Ok((device, address)) => {
            let piece = Upload { source: staging.as_ptr(), target: address, bytes: transfer.bytes };
            let done = Box::new(move |result: Result<(), DeviceError>| {
                drop(staging);
                acknowledge(
                    from,
                    transfer.number,
                    &result.map_or_else(|error| error.message, |()| String::new()),
                );
            });
            // SAFETY: `done` owns the memory.
            unsafe { device.upload(vec![piece], done) };
        }
    }
}
