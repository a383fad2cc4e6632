//! `Rail.asyncCopy`: asynchronous copies between a rail of this place and a `GlobalRail`, which is in the
//! memory of this host, of another host, or of an accelerator of either. These are the one-sided put and get
//! of MPI and OpenSHMEM.
//!
//! A put sends the bytes with a [`Transfer`] header ([`PutHeader::To`]); the target host answers
//! [`Message::PutDone`] when they are written. A get sends only the header ([`Message::Get`]); the source
//! host answers [`PutHeader::Back`] with the bytes, or `PutDone` with an error.

mod accelerator;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

pub(super) use accelerator::begin_device_put;
pub use accelerator::between;
use accelerator::{put_from_device, staging, unload};

use crate::apgas::engine::FinishScope;
use crate::apgas::failure::Undelivered;
use crate::apgas::message::{Message, PutHeader, Transfer};
use crate::apgas::system::system;
use crate::apgas::system::{device_exception, spawn_uncounted};
use crate::base::place::{PlaceId, here};
use crate::device::{self, Completion, Device, DeviceError, Upload};
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::layout::GlobalRail;
use crate::layout::{ExceptionKind, Outcome, Raised};
use crate::net::endpoint::PutTarget;
use crate::profile;
use crate::serialize::Error;
use crate::serialize::visit;

/// A copy to or from another host that has not ended.
struct Pending {
    scope: Arc<dyn FinishScope>,
    /// For a get: a handle of the target rail, and the offset of the first byte in it.
    target: Option<(Handle, u64)>,
    /// The other host. Only its messages can end the copy.
    host: PlaceId,
    bytes: u64,
    recorded: Option<profile::Copying>,
}

impl Pending {
    /// Whether this is a get from that host.
    fn is_get_from(&self, host: PlaceId) -> bool {
        self.host == host && self.target.is_some()
    }

    /// Ends a copy that has succeeded.
    fn end(self) {
        if let Some(copying) = self.recorded {
            copying.end();
        }
        self.scope.leave(Ref::NULL);
    }
}

/// The copies of a place from and to others.
#[derive(Default)]
pub(crate) struct CopyTable {
    last: AtomicU64,
    /// Its own, by number.
    pending: Mutex<HashMap<u64, Pending>>,
    /// Targets of the puts that are arriving, by sender and the sender's number of the put.
    arriving: Mutex<HashMap<(PlaceId, u64), Landing>>,
}

fn copies() -> &'static CopyTable {
    &system().state.copies
}

/// Memory of this process that receives a put.
enum Landing {
    /// A rail, kept alive.
    Rail(#[expect(dead_code, reason = "held, not read")] Handle),
    /// Memory of an accelerator.
    Device(device::Transfer),
    /// A staging buffer, whose bytes are then copied to an accelerator.
    Staging(Vec<u8>),
    /// None: the put is refused, for this reason.
    Refused(String),
}

fn raise<T>(kind: ExceptionKind, message: &str) -> Outcome<T> {
    Err(Raised(system().engine().exception(kind, message)))
}

/// A range of elements of a rail of this place.
struct Part {
    rail: Ref,
    element: u64,
    offset: u64,
    bytes: u64,
}

impl Part {
    fn address(&self) -> *mut u8 {
        // SAFETY: the offset was checked against the rail's length.
        unsafe { self.rail.elements().add(self.offset as usize) }
    }
}

fn check_range(what: &str, index: i64, count: i64, size: i64) -> Outcome<()> {
    if index >= 0 && count >= 0 && index.checked_add(count).is_some_and(|end| end <= size) {
        return Ok(());
    }
    let message = format!("{count} elements from index {index} are not in the {what}, which has {size}");
    raise(ExceptionKind::ArrayIndexOutOfBounds, &message)
}

fn part(rail: Ref, index: i64, count: i64) -> Outcome<Part> {
    if rail.is_null() {
        return raise(ExceptionKind::NullPointer, "the rail to copy is null");
    }
    if !rail.is_rail() {
        return raise(ExceptionKind::IllegalArgument, &format!("{} is no rail", rail.ty().name()));
    }
    check_range("rail", index, count, rail.length() as i64)?;
    let element = rail.ty().element_bytes() as u64;
    Ok(Part { rail, element, offset: index as u64 * element, bytes: count as u64 * element })
}

/// Raises an exception unless the rail's elements can be copied as bytes, without serialization.
fn check_flat(rail: Ref) -> Outcome<()> {
    let ty = rail.ty();
    if visit::is_flat_rail(ty) {
        return Ok(());
    }
    let message = format!(
        "a {} holds references, which mean nothing at another place: send it with `at` instead of Rail.asyncCopy",
        ty.name()
    );
    raise(ExceptionKind::UnsupportedOperation, &message)
}

/// Starts a copy of `count` elements of a rail of this place into a global rail; the caller's scope waits
/// for it.
pub fn put(source: Ref, source_index: i64, target: GlobalRail, target_index: i64, count: i64) -> Outcome<()> {
    let part = part(source, source_index, count)?;
    check_range("global rail", target_index, count, target.size)?;
    let offset = target_index as u64 * part.element;
    if let Some(rail) = local(&target)? {
        return copy_local(&part, rail, offset, false);
    }
    check_flat(source)?;
    let scope = system().engine().scope();
    let host = host_of(&target)?;
    if host == here() {
        let (device, address) = device_range(&target, offset, part.bytes)?;
        scope.enter();
        let kept = Handle::new(source);
        let done = finish(scope, kept);
        let done = profile::copied(target.home, "asyncCopy to the device", part.bytes, done);
        let piece = Upload { source: part.address(), target: address, bytes: part.bytes };
        // SAFETY: the rail is kept until `done`.
        watch(unsafe { device.copy_in(piece, done) });
        device.copied(part.address(), part.bytes, || Handle::new(source));
        return Ok(());
    }
    let number = begin(scope, host, None, part.bytes);
    let transfer = Transfer {
        number,
        place: target.home,
        handle: target.handle,
        offset,
        bytes: part.bytes,
        element: part.element,
    };
    // SAFETY: inside the rail, which the caller holds.
    let data = unsafe { std::slice::from_raw_parts(part.address(), part.bytes as usize) };
    system().deliver_put(host, &PutHeader::To(transfer), data);
    Ok(())
}

/// Starts a copy of `count` elements of a global rail into a rail of this place; the caller's scope waits
/// for it.
pub fn get(source: GlobalRail, source_index: i64, target: Ref, target_index: i64, count: i64) -> Outcome<()> {
    let part = part(target, target_index, count)?;
    check_range("global rail", source_index, count, source.size)?;
    let offset = source_index as u64 * part.element;
    if let Some(rail) = local(&source)? {
        return copy_local(&part, rail, offset, true);
    }
    check_flat(target)?;
    let scope = system().engine().scope();
    let host = host_of(&source)?;
    if host == here() {
        let (device, address) = device_range(&source, offset, part.bytes)?;
        scope.enter();
        let done = finish(scope, Handle::new(target));
        let done = profile::copied(source.home, "asyncCopy from the device", part.bytes, done);
        // SAFETY: the rail is kept until `done`.
        watch(unsafe { device.copy_out(address, part.address(), part.bytes, done) });
        device.copied(part.address(), part.bytes, || Handle::new(target));
        return Ok(());
    }
    let number = begin(scope, host, Some((Handle::new(target), part.offset)), part.bytes);
    let transfer = Transfer {
        number,
        place: source.home,
        handle: source.handle,
        offset,
        bytes: part.bytes,
        element: part.element,
    };
    system().deliver(host, &Message::Get(transfer), Undelivered::Copy);
    Ok(())
}

/// The rail that a global rail refers to; `None` if its home is not this host.
fn local(global: &GlobalRail) -> Outcome<Option<Ref>> {
    if global.home != i64::from(here()) {
        return Ok(None);
    }
    match heap::global(global.handle).filter(|rail| rail.is_rail()) {
        Some(rail) => Ok(Some(rail)),
        None => raise(ExceptionKind::IllegalArgument, "the global rail is not known here: was it forgotten?"),
    }
}

fn copy_local(part: &Part, rail: Ref, offset: u64, towards_part: bool) -> Outcome<()> {
    if !std::ptr::eq(rail.ty(), part.rail.ty()) {
        let message = format!("a {} is not copied to or from a {}", part.rail.ty().name(), rail.ty().name());
        return raise(ExceptionKind::IllegalArgument, &message);
    }
    check_range(
        "rail",
        (offset / part.element.max(1)) as i64,
        (part.bytes / part.element.max(1)) as i64,
        rail.length() as i64,
    )?;
    // SAFETY: both ranges were checked; they may overlap.
    unsafe {
        let other = rail.elements().add(offset as usize);
        let (from, to) = if towards_part { (other, part.address()) } else { (part.address(), other) };
        std::ptr::copy(from, to, part.bytes as usize);
    }
    Ok(())
}

fn host_of(global: &GlobalRail) -> Outcome<PlaceId> {
    let hosts = i64::from(system().hosts());
    if (0..hosts).contains(&global.home) {
        return Ok(PlaceId(global.home as u32));
    }
    match system().topology().parent(global.home) {
        Some(host) => Ok(PlaceId(host as u32)),
        None => raise(ExceptionKind::BadPlace, &format!("there is no Place({})", global.home)),
    }
}

/// The accelerator of this host that holds a global rail, and the address `offset` bytes into the rail, if
/// `bytes` bytes there are in its memory.
fn device_range(global: &GlobalRail, offset: u64, bytes: u64) -> Outcome<(&'static Arc<Device>, u64)> {
    let address = (global.handle as u64).wrapping_add(offset);
    let found = system().device(global.home).and_then(|device| {
        device.check_range(address, bytes)?;
        Ok(device)
    });
    match found {
        Ok(device) => Ok((device, address)),
        Err(error) => Err(Raised(device_exception(&error))),
    }
}

/// Makes the calling activity poll for the end of the copy while it waits.
fn watch(copy: Option<Completion>) {
    // A recorded copy must end at its completion, not at the next poll.
    if let Some(copy) = copy.filter(|_| !profile::on()) {
        system().engine().watch(copy);
    }
}

/// The completion callback of a copy to or from a device.
fn finish(scope: Arc<dyn FinishScope>, kept: Handle) -> crate::device::OnComplete {
    // Until the copy ends, it is no deadlock if all activities wait.
    let external = crate::scheduler::ExternalEventGuard::new();
    Box::new(move |result| {
        drop(kept);
        leave(scope, result);
        drop(external);
    })
}

fn leave(scope: Arc<dyn FinishScope>, result: Result<(), DeviceError>) {
    match result {
        Ok(()) => scope.leave(Ref::NULL),
        // An activity makes the exception, since the constructor is code of the program.
        Err(error) => system().engine().spawn(scope, Box::new(move || device_exception(&error))),
    }
}

fn fail(scope: Arc<dyn FinishScope>, text: String) {
    let work = move || system().engine().exception(ExceptionKind::IllegalArgument, &text);
    system().engine().spawn(scope, Box::new(work));
}

/// Registers a copy to or from another host, and returns its number.
fn begin(scope: Arc<dyn FinishScope>, host: PlaceId, target: Option<(Handle, u64)>, bytes: u64) -> u64 {
    scope.enter();
    let number = copies().last.fetch_add(1, Ordering::Relaxed) + 1;
    let how = if target.is_some() { "asyncCopy from a place" } else { "asyncCopy to a place" };
    let recorded = profile::copying(i64::from(here()), how, bytes);
    copies().pending.lock().insert(number, Pending { scope, target, host, bytes, recorded });
    number
}

/// Handles [`Message::PutDone`]: a put of this host to the host `from` has ended, or a get from it has
/// failed. `text` is the error; it is empty if the put succeeded.
pub(super) fn put_done(from: PlaceId, number: u64, text: String) -> Result<(), Error> {
    // A get that succeeds ends when its bytes arrive.
    let is_ended = |pending: &Pending| pending.host == from && (pending.target.is_none() || !text.is_empty());
    let pending = {
        let mut table = copies().pending.lock();
        let known = table.get(&number).is_some_and(is_ended);
        if known { table.remove(&number) } else { None }
    };
    const UNKNOWN: Error =
        Error::Malformed { expected: "the number of a copy with the sender that waits", offset: 0 };
    let pending = pending.ok_or(UNKNOWN)?;
    if text.is_empty() {
        pending.end()
    } else {
        fail(pending.scope, text)
    }
    Ok(())
}

fn acknowledge(to: PlaceId, number: u64, text: &str) {
    let message = Message::PutDone { number, error: text.to_owned() };
    system().deliver(to, &message, Undelivered::Copy);
}

/// The rail of this host that a transfer refers to, and the address of its first byte there.
fn own_range(transfer: &Transfer) -> Result<(Ref, *mut u8), String> {
    let rail = heap::global(transfer.handle)
        .filter(|object| object.is_rail())
        .ok_or("the global rail is not known at its home: was it forgotten?")?;
    let element = rail.ty().element_bytes() as u64;
    let size = rail.length() as u64 * element;
    if element != transfer.element || !visit::is_flat_rail(rail.ty()) {
        return Err(format!("the global rail is a {}, whose elements are others", rail.ty().name()));
    }
    if transfer.offset.checked_add(transfer.bytes).is_none_or(|end| end > size) {
        return Err(format!(
            "{} bytes at {} are not in a rail of {size} bytes",
            transfer.bytes, transfer.offset
        ));
    }
    // SAFETY: inside the rail.
    Ok((rail, unsafe { rail.elements().add(transfer.offset as usize) }))
}

/// Handles the header of a put: the memory that its bytes are written to; `None` if it is refused.
pub(super) fn begin_put(from: PlaceId, header: &[u8], length: u64) -> Result<Option<PutTarget>, Error> {
    let malformed = |expected| Err(Error::Malformed { expected, offset: 0 });
    match PutHeader::decode(header)? {
        PutHeader::To(transfer) => {
            let (landing, address) = land(&transfer, length);
            add_landing(from, transfer.number, landing)?;
            Ok(address.map(|address| PutTarget { address, length }))
        }
        PutHeader::Back(number) => {
            let table = copies().pending.lock();
            let pending = table.get(&number).filter(|it| it.is_get_from(from));
            let Some((pending, (rail, offset))) = pending.and_then(|it| Some((it, it.target.as_ref()?)))
            else {
                return malformed("the number of a copy from the sender that waits");
            };
            // SAFETY: inside the rail, as was checked when the get began; `pending` keeps the rail.
            let address = unsafe { rail.get().elements().add(*offset as usize) };
            Ok((pending.bytes == length).then_some(PutTarget { address, length }))
        }
    }
}

/// The put of that number arrives from now on.
fn add_landing(from: PlaceId, number: u64, landing: Landing) -> Result<(), Error> {
    match copies().arriving.lock().insert((from, number), landing) {
        None => Ok(()),
        Some(_) => {
            Err(Error::Malformed { expected: "the number of a put that has not begun yet", offset: 0 })
        }
    }
}

fn land(transfer: &Transfer, length: u64) -> (Landing, Option<*mut u8>) {
    if transfer.bytes != length {
        return (Landing::Refused("a copy to another place has the wrong length".to_owned()), None);
    }
    if transfer.place == i64::from(here()) {
        return match own_range(transfer) {
            Ok((rail, address)) => (Landing::Rail(Handle::new(rail)), Some(address)),
            Err(text) => (Landing::Refused(text), None),
        };
    }
    match staging(length) {
        Ok(mut staging) => {
            let address = staging.as_mut_ptr();
            (Landing::Staging(staging), Some(address))
        }
        Err(error) => (Landing::Refused(error.message), None),
    }
}

/// The accelerator of this host that a transfer refers to, and the address of the first byte there.
fn device_memory(transfer: &Transfer) -> Result<(&'static Arc<Device>, u64), DeviceError> {
    let address = (transfer.handle as u64).wrapping_add(transfer.offset);
    let device = system().device(transfer.place)?;
    device.check_range(address, transfer.bytes)?;
    Ok((device, address))
}

/// The rest of a put does not arrive, since its sender has ended: its target is not kept any longer.
pub(super) fn abandon_put(from: PlaceId, header: &[u8]) {
    // The header was decoded when the put began.
    if let Ok(PutHeader::To(transfer)) = PutHeader::decode(header) {
        let landing = copies().arriving.lock().remove(&(from, transfer.number));
        drop(landing);
    }
}

/// Handles the end of a put: all of its bytes have arrived.
pub(super) fn end_put(from: PlaceId, header: &[u8], accepted: bool) -> Result<(), Error> {
    let transfer = match PutHeader::decode(header)? {
        PutHeader::To(transfer) => transfer,
        PutHeader::Back(number) => {
            end_get(number, accepted);
            return Ok(());
        }
    };
    let landing = copies().arriving.lock().remove(&(from, transfer.number));
    match landing {
        Some(Landing::Rail(_)) => acknowledge(from, transfer.number, ""),
        Some(Landing::Device(written)) => {
            drop(written);
            acknowledge(from, transfer.number, "");
        }
        Some(Landing::Staging(mut staging)) if accepted => {
            // SAFETY: the buffer has this capacity, and all bytes have arrived.
            unsafe { staging.set_len(transfer.bytes as usize) };
            spawn_uncounted(move || unload(from, transfer, staging));
        }
        Some(Landing::Staging(_)) => {}
        Some(Landing::Refused(text)) => acknowledge(from, transfer.number, &text),
        None => {}
    }
    Ok(())
}

/// The bytes of a get have arrived, or were discarded.
fn end_get(number: u64, accepted: bool) {
    let pending = copies().pending.lock().remove(&number);
    match pending {
        Some(pending) if accepted => pending.end(),
        Some(pending) => fail(pending.scope, "a copy from another place has the wrong length".to_owned()),
        None => {}
    }
}

/// Handles [`Message::Get`]: another host requests bytes. An activity sends them, since a receiving thread
/// must not wait for a send.
pub(super) fn requested(from: PlaceId, transfer: Transfer) {
    spawn_uncounted(move || {
        if let Err(text) = send_back(from, &transfer) {
            acknowledge(from, transfer.number, &text);
        }
    });
}

fn send_back(to: PlaceId, transfer: &Transfer) -> Result<(), String> {
    let header = PutHeader::Back(transfer.number);
    if transfer.place == i64::from(here()) {
        let (rail, address) = own_range(transfer)?;
        let kept = Handle::new(rail);
        // SAFETY: inside the rail, which is kept.
        let data = unsafe { std::slice::from_raw_parts(address, transfer.bytes as usize) };
        system().deliver_put(to, &header, data);
        drop(kept);
        return Ok(());
    }
    device_memory(transfer)
        .and_then(|(device, address)| put_from_device(to, &header, device, address, transfer.bytes))
        .map_err(|error| error.message)
}
