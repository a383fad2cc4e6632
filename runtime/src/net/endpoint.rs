//! The interface between a host place and the network of places: [`Endpoint`] sends, [`Receiver`] handles
//! what arrives.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::base::place::PlaceId;
use crate::heap::Handle;
use crate::net::device_memory::{DeviceMemory, DevicePuts};
use crate::serialize::Error;
use crate::serialize::out_of_band::{Part, Received};

/// A place has ended, so that nothing can be sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceEnded(pub PlaceId);

impl std::fmt::Display for PlaceEnded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} has ended", self.0)
    }
}

impl std::error::Error for PlaceEnded {}

/// Memory that receives a put. The receiver keeps it alive until [`Receiver::end_put`] or
/// [`Receiver::abandon_put`].
#[derive(Clone, Copy, Debug)]
pub struct PutTarget {
    /// First byte.
    pub address: *mut u8,
    /// Bytes.
    pub length: u64,
}

// SAFETY: an address; the receiver that gave it out keeps the memory valid until the put ends.
unsafe impl Send for PutTarget {}

/// Handles what arrives at a place. Called on a thread of the transport, one call at a time for each
/// sender: an implementation must not wait for anything that another message brings.
pub trait Receiver: Send + Sync {
    /// Handles a message; an error if it is malformed.
    fn message(&self, from: PlaceId, body: Cow<'_, [u8]>, parts: Vec<Received>) -> Result<(), Error>;
    /// Allocates the object for an out-of-band part of a message that is arriving, and says where its
    /// elements go. `None` without room: the part is then kept as bytes.
    fn begin_part(&self, ty: u64, length: u64, bytes: u64) -> Option<(PutTarget, Handle)>;
    /// Says where the `length` bytes of an arriving put go. `None` refuses it; the bytes are discarded.
    fn begin_put(&self, from: PlaceId, header: &[u8], length: u64) -> Result<Option<PutTarget>, Error>;
    /// As [`Receiver::begin_put`], where the transport can write to memory of accelerators. `None` if the put
    /// goes to memory of the host or is refused, which [`Receiver::begin_put`] decides.
    fn begin_device_put(
        &self,
        _from: PlaceId,
        _header: &[u8],
        _length: u64,
    ) -> Result<Option<DeviceMemory>, Error> {
        Ok(None)
    }
    /// All bytes of a put have arrived (`accepted`), or were discarded.
    fn end_put(&self, from: PlaceId, header: Vec<u8>, accepted: bool) -> Result<(), Error>;
    /// The sender of a put that has begun has ended before its last byte: its memory is not written any more.
    fn abandon_put(&self, _from: PlaceId, _header: &[u8]) {}
    /// Nothing more comes from a place that did not shut down: its connection has ended or failed, or it sent
    /// something malformed ([`io::ErrorKind::InvalidData`]).
    fn peer_down(&self, place: PlaceId, error: Option<io::Error>);
}

/// Sends to the other host places.
pub trait Endpoint: Send + Sync {
    /// The number of this place.
    fn here(&self) -> PlaceId;
    /// How many host places there are.
    fn hosts(&self) -> u32;
    /// A place in words, with its host where there are several.
    fn describe(&self, place: PlaceId) -> String {
        place.to_string()
    }
    /// From now on, hands what arrives to `receiver`. Called once.
    ///
    /// # Errors
    /// There are no threads for it.
    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()>;
    /// Sends a message; returns when `body` and `parts` may be reused.
    fn send(&self, to: PlaceId, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded>;
    /// Sends a message from a thread that polls for messages itself ([`Endpoint::poll`]), at least until the
    /// next message from the receiver has arrived. Whether the receiver knows that; if not, the other places
    /// must be notified ([`Endpoint::set_polled`]).
    fn send_request(&self, to: PlaceId, body: &[u8]) -> Result<bool, PlaceEnded> {
        self.send(to, body, &[]).map(|()| false)
    }
    /// The caller of [`Endpoint::send_request`] has its answer, and stops polling. Whether it need not
    /// notify other places.
    fn end_request(&self, _by: PlaceId) -> bool {
        false
    }
    /// Sends bytes into memory that the receiver names for `header`; returns when `data` may be reused.
    fn put(&self, to: PlaceId, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded>;
    /// Puts from memory of accelerators, if the transport reads and writes it.
    fn device_puts(&self) -> Option<&dyn DevicePuts> {
        None
    }
    /// Handles what has arrived; waits only for the rest of a message that has begun to arrive. An idle
    /// thread may call it, which saves waking another one. Whether anything had arrived.
    fn poll(&self) -> bool {
        false
    }
    /// What an idle thread sleeps on that handles the next messages itself, if it can.
    fn waiter(&self) -> Option<Arc<dyn Waiter>> {
        None
    }
    /// Whether a call of [`Endpoint::poll`] that finds nothing costs system calls.
    fn polls_by_system_calls(&self) -> bool {
        false
    }
    /// How many places run on CPUs of this one, which is included: launchers may give each CPUs of its own.
    fn places_sharing_cpus(&self) -> u32 {
        self.hosts()
    }
    /// Whether a place is on the host of this one.
    fn is_local(&self, _place: PlaceId) -> bool {
        true
    }
    /// Whether idle threads should call [`Endpoint::poll`], not only those that have sent a request.
    fn needs_polling(&self) -> bool {
        false
    }
    /// Notifies the other places that a thread calls [`Endpoint::poll`] repeatedly from now on, or stops
    /// doing so.
    fn set_polled(&self, _begins: bool) {}
    /// Shuts down in order: a connection that closes after this is no failure.
    fn shutdown(&self);
}

/// Lets one thread at a time sleep until messages come, which it then handles by [`Endpoint::poll`]: no other
/// thread is woken for them.
pub trait Waiter: Send + Sync {
    /// From now on the caller handles what comes when that wakes it, and no thread of the endpoint.
    fn begin(&self);
    /// Sleeps until something comes, until [`Waiter::wake`], or for `timeout`.
    fn wait(&self, timeout: Duration);
    /// Ends the sleep, also a sleep that is about to begin.
    fn wake(&self);
    /// Forgets wake-ups that no sleep has seen.
    fn clear_wake(&self);
    /// The caller does not any more: threads of the endpoint do, unless another thread polls.
    fn end(&self);
}

/// Delivers a message of a place to itself.
pub(crate) fn deliver_message_locally(
    receiver: &dyn Receiver,
    here: PlaceId,
    body: &[u8],
    parts: &[Part],
) -> Result<(), PlaceEnded> {
    let parts = parts.iter().map(|part| Received::Bytes(part.bytes().to_vec())).collect();
    deliver_message(receiver, here, Cow::Borrowed(body), parts)
}

/// Delivers a message. A malformed one ends its sender for the receiver.
pub(crate) fn deliver_message(
    receiver: &dyn Receiver,
    from: PlaceId,
    body: Cow<'_, [u8]>,
    parts: Vec<Received>,
) -> Result<(), PlaceEnded> {
    receiver.message(from, body, parts).map_err(|error| end_malformed(receiver, from, error))
}

/// Delivers a put whose bytes are in this process. A malformed one ends its sender for the receiver.
pub(crate) fn deliver_put(
    receiver: &dyn Receiver,
    from: PlaceId,
    header: &[u8],
    data: &[u8],
) -> Result<(), PlaceEnded> {
    let put = || {
        let target = receiver.begin_put(from, header, data.len() as u64)?;
        let target = target.filter(|target| target.length == data.len() as u64);
        if let Some(target) = target {
            // SAFETY: the receiver gave out this memory, and its length was checked. It may overlap the
            // source.
            unsafe { std::ptr::copy(data.as_ptr(), target.address, data.len()) };
        }
        receiver.end_put(from, header.to_vec(), target.is_some())
    };
    put().map_err(|error| end_malformed(receiver, from, error))
}

fn end_malformed(receiver: &dyn Receiver, from: PlaceId, error: Error) -> PlaceEnded {
    receiver.peer_down(from, Some(error.into()));
    PlaceEnded(from)
}
