//! A receiver for tests of transports: it keeps what has come, in order.

use std::borrow::Cow;
use std::io;

use parking_lot::Mutex;

use crate::base::place::PlaceId;
use crate::heap::Handle;
use crate::net::endpoint::{PutTarget, Receiver};
use crate::serialize::Error;
use crate::serialize::out_of_band::Received;

/// What is logged of a place that has ended.
pub(crate) const DOWN: &[u8] = b"down";

/// Senders, and the bodies of their messages or the headers of their puts, whose data is discarded.
#[derive(Default)]
pub(crate) struct MessageLog(pub(crate) Mutex<Vec<(PlaceId, Vec<u8>)>>);

impl MessageLog {
    /// Takes all entries.
    pub(crate) fn take(&self) -> Vec<(PlaceId, Vec<u8>)> {
        std::mem::take(&mut *self.0.lock())
    }

    fn note(&self, from: PlaceId, bytes: Vec<u8>) {
        self.0.lock().push((from, bytes));
    }
}

impl Receiver for MessageLog {
    fn message(&self, from: PlaceId, body: Cow<'_, [u8]>, _: Vec<Received>) -> Result<(), Error> {
        self.note(from, body.into_owned());
        Ok(())
    }

    fn begin_part(&self, _: u64, _: u64, _: u64) -> Option<(PutTarget, Handle)> {
        None
    }

    fn begin_put(&self, _: PlaceId, _: &[u8], _: u64) -> Result<Option<PutTarget>, Error> {
        Ok(None)
    }

    fn end_put(&self, from: PlaceId, header: Vec<u8>, _: bool) -> Result<(), Error> {
        self.note(from, header);
        Ok(())
    }

    fn peer_down(&self, place: PlaceId, _: Option<io::Error>) {
        self.note(place, DOWN.to_vec());
    }
}
