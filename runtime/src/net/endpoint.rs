//! The endpoint of a host place: what a transport does for it, and what it does with what arrives.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use crate::heap::Handle;
use crate::serialize::Error;
use crate::serialize::out_of_band::{Part, Received};

/// A place has ended, so that nothing can be sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceEnded(pub u32);

impl std::fmt::Display for PlaceEnded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "place {} has ended", self.0)
    }
}

impl std::error::Error for PlaceEnded {}

/// Memory that receives a put. The receiver keeps it alive until [`Receiver::end_put`].
#[derive(Clone, Copy, Debug)]
pub struct PutTarget {
    /// First byte.
    pub address: *mut u8,
    /// Bytes.
    pub length: u64,
}

// SAFETY: an address; whoever gave it out vouches for the memory until the put ends.
unsafe impl Send for PutTarget {}

/// What a place does with what arrives. Called on a thread of the transport, one call at a time for each
/// sender: an implementation must not wait for anything that another message brings.
pub trait Receiver: Send + Sync {
    /// A message; an error if it is none of the program's.
    fn message(&self, from: u32, kind: u8, body: Cow<'_, [u8]>, parts: Vec<Received>) -> Result<(), Error>;
    /// A part of a message is coming: the object that it is made for, and where its elements go. `None` if
    /// there is no room for it: it is then kept as bytes.
    fn begin_part(&self, ty: u64, length: u64, bytes: u64) -> Option<(PutTarget, Handle)>;
    /// A put is coming: where do its `length` bytes go? `None` refuses it; the bytes are thrown away.
    fn begin_put(&self, from: u32, kind: u8, header: &[u8], length: u64) -> Result<Option<PutTarget>, Error>;
    /// All bytes of a put have arrived (`accepted`), or were thrown away.
    fn end_put(&self, from: u32, kind: u8, header: Vec<u8>, accepted: bool) -> Result<(), Error>;
    /// Nothing more comes from a place that took no leave: its connection has ended or failed, or it sent
    /// what makes no sense ([`io::ErrorKind::InvalidData`]).
    fn ended(&self, place: u32, error: Option<io::Error>);
}

/// A way to reach the other host places.
pub trait Transport: Send + Sync {
    /// The number of this place.
    fn here(&self) -> u32;
    /// How many host places there are.
    fn hosts(&self) -> u32;
    /// From now on, hands what arrives to `receiver`. Called once.
    ///
    /// # Errors
    /// There are no threads for it.
    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()>;
    /// Sends a message; returns when `body` and `parts` may be reused.
    fn send(&self, to: u32, kind: u8, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded>;
    /// Sends a message whose sender, a thread that deals with messages itself ([`Transport::probe`]), will do
    /// so at least until the next one has come from there. Whether the receiver knows that; if not, other
    /// places have to be told ([`Transport::attend`]).
    fn ask(&self, to: u32, kind: u8, body: &[u8]) -> Result<bool, PlaceEnded> {
        self.send(to, kind, body, &[]).map(|()| false)
    }
    /// The caller of [`Transport::ask`] has had its answer, and ceases to deal with messages. Whether it need
    /// not say so.
    fn is_answered(&self, _by: u32) -> bool {
        false
    }
    /// Sends bytes into memory that the receiver names for `header`; returns when `data` may be reused.
    fn put(&self, to: u32, kind: u8, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded>;
    /// Deals with what has come; waits for nothing but the rest of a message that has begun to come. A thread
    /// with nothing else to do may call it, to spare waking another. Whether anything had come.
    fn probe(&self) -> bool {
        false
    }
    /// Whether [`Transport::probe`] does anything.
    fn has_to_be_probed(&self) -> bool {
        false
    }
    /// A thread will call [`Transport::probe`] again and again from now on, or will not any more.
    fn attend(&self, _begins: bool) {}
    /// Says farewell: a connection that closes after this is no failure.
    fn leave(&self);
}

/// A message of a place to itself.
pub(crate) fn message_here(
    receiver: &dyn Receiver,
    here: u32,
    kind: u8,
    body: &[u8],
    parts: &[Part],
) -> Result<(), PlaceEnded> {
    let parts = parts.iter().map(|part| Received::Bytes(part.bytes().to_vec())).collect();
    receiver.message(here, kind, Cow::Borrowed(body), parts).map_err(|error| end_here(receiver, here, error))
}

/// A put of a place to itself.
pub(crate) fn put_here(
    receiver: &dyn Receiver,
    here: u32,
    kind: u8,
    header: &[u8],
    data: &[u8],
) -> Result<(), PlaceEnded> {
    let put = || {
        let target = receiver.begin_put(here, kind, header, data.len() as u64)?;
        let target = target.filter(|target| target.length == data.len() as u64);
        if let Some(target) = target {
            // SAFETY: the receiver gave out this memory, and its length was checked. It may overlap the
            // source.
            unsafe { std::ptr::copy(data.as_ptr(), target.address, data.len()) };
        }
        receiver.end_put(here, kind, header.to_vec(), target.is_some())
    };
    put().map_err(|error| end_here(receiver, here, error))
}

fn end_here(receiver: &dyn Receiver, here: u32, error: Error) -> PlaceEnded {
    receiver.ended(here, Some(error.into()));
    PlaceEnded(here)
}
