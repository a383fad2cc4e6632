//! What the endpoint hands its messages to.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use super::Mailbox;
use super::packet::{Packet, decode};
use super::state::{Arriving, Landing, Posted};
use crate::base::place::PlaceId;
use crate::heap::Handle;
use crate::net::endpoint::{PutTarget, Receiver};
use crate::serialize::Error;
use crate::serialize::out_of_band::Received;
use crate::xmp::error::XmpError;

/// The mailbox as a receiver.
pub(super) struct Inbox(pub(super) Arc<Mailbox>);

impl Receiver for Inbox {
    fn message(
        &self,
        from: PlaceId,
        body: Cow<'_, [u8]>,
        _parts: Vec<Received>,
    ) -> std::result::Result<(), Error> {
        let (packet, payload) = decode(&body)?;
        self.0.handle(from.0, packet, Cow::Borrowed(payload))
    }

    fn begin_part(&self, _ty: u64, _length: u64, _bytes: u64) -> Option<(PutTarget, Handle)> {
        None
    }

    fn begin_put(
        &self,
        from: PlaceId,
        header: &[u8],
        length: u64,
    ) -> std::result::Result<Option<PutTarget>, Error> {
        let (packet, _) = decode(header)?;
        let mut state = self.0.state.lock();
        let Some(channel) = state.channels.get_mut(from.index()) else {
            return Err(Error::Malformed { expected: "the number of a node", offset: 0 });
        };
        let fits = |it: &Posted| {
            Packet::Data(it.context) == packet
                && it.length as u64 == length
                && matches!(it.landing, Landing::Memory(_))
        };
        if channel.posted.front().is_some_and(fits)
            && let Some(Posted { number, landing: Landing::Memory(target), .. }) = channel.posted.pop_front()
        {
            channel.arriving = Some(Arriving::Posted(number));
            return Ok(Some(target));
        }
        let mut buffer = Vec::new();
        let bytes = usize::try_from(length).unwrap_or(usize::MAX);
        if buffer.try_reserve_exact(bytes).is_err() {
            let error = XmpError::new(format!("there is no memory for {length} bytes of node {}", from.0));
            state.failure.get_or_insert(error);
            return Ok(None);
        }
        buffer.resize(bytes, 0);
        let target = PutTarget { address: buffer.as_mut_ptr(), length };
        channel.arriving = Some(Arriving::Buffer(buffer));
        Ok(Some(target))
    }

    fn end_put(&self, from: PlaceId, header: Vec<u8>, accepted: bool) -> std::result::Result<(), Error> {
        let arriving = self.0.state.lock().channels[from.index()].arriving.take();
        match arriving {
            Some(Arriving::Posted(number)) => {
                self.0.state.lock().ended.insert(number, Ok(Vec::new()));
            }
            Some(Arriving::Buffer(buffer)) if accepted => {
                let (packet, _) = decode(&header)?;
                return self.0.handle(from.0, packet, Cow::Owned(buffer));
            }
            _ => {}
        }
        self.0.changed.notify_all();
        Ok(())
    }

    fn peer_down(&self, place: PlaceId, error: Option<io::Error>) {
        tracing::debug!(place = place.0, ?error, "node down");
        let has_left = {
            let mut state = self.0.state.lock();
            let has_ended = state.has_ended;
            let Some(channel) = state.channels.get_mut(place.index()) else { return };
            channel.is_down = true;
            has_ended || channel.left.is_some()
        };
        match has_left {
            true => drop(self.0.changed.notify_all()),
            false => self.0.fail(self.0.lost_error(place.0)),
        }
    }
}

impl Mailbox {
    /// Handles a packet with its payload.
    fn handle(&self, from: u32, packet: Packet, payload: Cow<'_, [u8]>) -> std::result::Result<(), Error> {
        let mut state = self.state.lock();
        let Some(channel) = state.channels.get_mut(from as usize) else {
            return Err(Error::Malformed { expected: "the number of a node", offset: 0 });
        };
        match packet {
            Packet::Data(context) => match channel.posted.pop_front() {
                Some(posted) => state.complete(from, posted, context, payload),
                None => channel.unexpected.push_back((context, payload.into_owned())),
            },
            Packet::Reply(number) => {
                state.ended.insert(number, Ok(payload.into_owned()));
            }
            Packet::Refused(number) => {
                let message = format!("node {from} has left the function whose array is accessed here");
                let error = XmpError::new(message).hint("write a `barrier` in front of the end of its block");
                state.ended.insert(number, Err(error));
            }
            Packet::Post(tag) => channel.posts.push_back(tag),
            Packet::Sync => channel.syncs += 1,
            Packet::Leave(status) => channel.left = Some(status),
            Packet::End => state.has_ended = true,
            Packet::Failed => {
                let reported = XmpError { is_reported: true, ..XmpError::new("another node has failed") };
                state.failure = Some(reported.clone());
                drop(state);
                self.fail(reported);
                return Ok(());
            }
            Packet::Error(message, hint) => {
                let error = XmpError { message, hint, is_reported: false };
                // What waits here is ended by the thread that reports it.
                state.failure.get_or_insert(XmpError { is_reported: true, ..error.clone() });
                drop(state);
                self.fail(error);
                return Ok(());
            }
            Packet::Request(request) if state.memory.is_gone(request.segment()) => {
                drop(state);
                // A node that has ended needs no answer.
                let _ = self.send_packet(from, &Packet::Refused(request.number()), &[]);
                return Ok(());
            }
            Packet::Request(request) => {
                let replies = state.memory.handle(from, request, &payload)?;
                drop(state);
                self.send_replies(replies);
                return Ok(());
            }
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }
}
