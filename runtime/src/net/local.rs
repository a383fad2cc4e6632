//! Loopback transport, for a program with one host place.

use std::io;
use std::sync::{Arc, OnceLock};

use crate::base::place::PlaceId;
use crate::net::endpoint::{Endpoint, PlaceEnded, Receiver, deliver_message_locally, deliver_put};
use crate::serialize::out_of_band::Part;

/// One place.
#[derive(Default)]
pub struct Local {
    receiver: OnceLock<Arc<dyn Receiver>>,
}

impl Local {
    fn receiver(&self, to: PlaceId) -> Result<&Arc<dyn Receiver>, PlaceEnded> {
        if to == PlaceId::ZERO { self.receiver.get().ok_or(PlaceEnded(to)) } else { Err(PlaceEnded(to)) }
    }
}

impl Endpoint for Local {
    fn here(&self) -> PlaceId {
        PlaceId::ZERO
    }

    fn hosts(&self) -> u32 {
        1
    }

    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()> {
        let first = self.receiver.set(receiver).is_ok();
        debug_assert!(first, "a transport is started once");
        Ok(())
    }

    fn send(&self, to: PlaceId, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        deliver_message_locally(&**self.receiver(to)?, to, body, parts)
    }

    fn put(&self, to: PlaceId, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        deliver_put(&**self.receiver(to)?, to, header, data)
    }

    fn shutdown(&self) {}
}
