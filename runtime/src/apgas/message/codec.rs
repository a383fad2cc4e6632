//! The encoding of messages and headers of puts: the wire format of postcard, derived from their types, and
//! behind it the payload.

use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};

use crate::apgas::message::{Message, PutHeader, Reply, Visit};
use crate::serialize::Error;

/// Appends bytes to a buffer of the caller, which is reused.
struct Appender<'a>(&'a mut Vec<u8>);

impl Flavor for Appender<'_> {
    type Output = ();

    #[inline]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

#[inline]
fn append<T: Serialize>(value: &T, out: &mut Vec<u8>) {
    // Memory is all that is needed: no length of these types is unknown, and appending does not fail.
    let appended = postcard::serialize_with_flavor(value, Appender(out));
    debug_assert!(appended.is_ok());
}

#[inline]
fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8], expected: &'static str) -> Result<(T, &'a [u8]), Error> {
    postcard::take_from_bytes(bytes).map_err(|_| Error::Malformed { expected, offset: 0 })
}

impl Message {
    /// Appends it; the payload may follow.
    #[inline]
    pub fn encode(&self, out: &mut Vec<u8>) {
        append(self, out);
    }

    /// Reads one, and returns the payload behind it.
    ///
    /// # Errors
    /// The bytes are no message. What they say is checked elsewhere ([`crate::apgas::message::validate`]).
    #[inline]
    pub fn decode(bytes: &[u8]) -> Result<(Message, &[u8]), Error> {
        read(bytes, "a message")
    }
}

/// A message of an `at`, whose time counts, without the memory that other messages need.
pub(crate) enum AtMessage {
    /// [`Message::At`].
    Visit(Visit),
    /// [`Message::AtReply`].
    Reply(Reply),
}

impl AtMessage {
    /// Numbers of the variants of [`Message`] in their encoding.
    const VISIT: u8 = 1;
    const REPLY: u8 = 2;

    /// Reads one, and returns the payload behind it; `None` for another message.
    ///
    /// # Errors
    /// The bytes are no message.
    #[inline]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Option<(AtMessage, &[u8])>, Error> {
        match bytes {
            [AtMessage::VISIT, rest @ ..] => {
                read(rest, "an `at`").map(|(visit, payload)| Some((AtMessage::Visit(visit), payload)))
            }
            [AtMessage::REPLY, rest @ ..] => read(rest, "the answer to an `at`")
                .map(|(reply, payload)| Some((AtMessage::Reply(reply), payload))),
            _ => Ok(None),
        }
    }
}

impl PutHeader {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        append(self, &mut out);
        out
    }

    /// From bytes.
    ///
    /// # Errors
    /// The bytes are no header, or more than one.
    pub fn decode(bytes: &[u8]) -> Result<PutHeader, Error> {
        match read(bytes, "the header of a put")? {
            (header, []) => Ok(header),
            _ => Err(Error::Malformed { expected: "the end of a put's header", offset: 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apgas::clock::{ClockContext, ClockRegistration};
    use crate::apgas::finish::id::FinishId;
    use crate::apgas::message::{ClockOperation, FinishDelta, TeamStep, Transfer};
    use crate::base::place::PlaceId;
    use crate::heap::global_refs::Change;
    use crate::slots::message::SlotMessage;

    fn samples() -> Vec<Message> {
        let registration = ClockRegistration { handle: -1, phase: i32::MAX, resumed: true };
        let clocks = ClockContext {
            registrations: vec![registration; 2],
            implicit: Some(i64::MIN),
            nesting: 1 << 20,
            epoch: u64::MAX,
        };
        let finish = FinishId { home: PlaceId(3), number: 1 << 40 };
        let (number, value) = (u64::MAX, true);
        vec![
            Message::Spawn { finish: FinishId::NONE, clocks: clocks.clone() },
            Message::At(Visit { number, finish, value, clocks: None }),
            Message::At(Visit { number, finish, value, clocks: Some(clocks.clone()) }),
            Message::AtReply(Reply { number, clocks: Some(clocks), ..Reply::default() }),
            Message::FinishReport(FinishDelta {
                finish: 300,
                deltas: vec![(PlaceId(0), -3), (PlaceId(2), i64::MAX)],
                exceptions: vec![vec![], vec![1, 2, 3]],
            }),
            Message::Team(TeamStep { team: -7, number, step: 1 << 31 }),
            Message::Clock { operation: ClockOperation::End, number, registration },
            Message::WeightChanges(vec![Change { number, account: 1 << 40 | 1, by: -(1 << 70) }]),
            Message::CollectionDone(0),
            Message::Slots(SlotMessage::Failed { group: -1, message: "slot 3".to_owned() }),
        ]
    }

    #[test]
    fn messages_round_trip_before_their_payload() {
        for message in samples() {
            let mut bytes = Vec::new();
            message.encode(&mut bytes);
            let length = bytes.len();
            bytes.extend_from_slice(b"payload");
            let of_at = AtMessage::decode(&bytes).expect("well formed").map(|(decoded, payload)| {
                assert_eq!(payload, b"payload");
                match decoded {
                    AtMessage::Visit(visit) => Message::At(visit),
                    AtMessage::Reply(reply) => Message::AtReply(reply),
                }
            });
            let is_of_at = matches!(message, Message::At(_) | Message::AtReply(_));
            assert_eq!(of_at, is_of_at.then(|| message.clone()));
            assert_eq!(Message::decode(&bytes), Ok((message, &b"payload"[..])));
            for short in 0..length {
                assert!(Message::decode(&bytes[..short]).is_err(), "{short} of {length} bytes");
            }
        }
    }

    #[test]
    fn headers_of_puts_round_trip_and_nothing_follows_them() {
        let transfer =
            Transfer { number: 1, place: -1, handle: i64::MIN, offset: 7, bytes: u64::MAX, element: 8 };
        for header in [PutHeader::To(transfer), PutHeader::Back(u64::MAX)] {
            let mut bytes = header.encode();
            assert_eq!(PutHeader::decode(&bytes), Ok(header));
            for short in 0..bytes.len() {
                assert!(PutHeader::decode(&bytes[..short]).is_err());
            }
            bytes.push(0);
            assert!(PutHeader::decode(&bytes).is_err());
        }
    }

    /// The short messages whose time counts fit into one cache line with a closure of a few words.
    #[test]
    fn messages_of_an_at_are_short() {
        let length = |message: Message| {
            let mut bytes = Vec::new();
            message.encode(&mut bytes);
            bytes.len()
        };
        let finish = FinishId { home: PlaceId(3), number: 100 };
        assert_eq!(length(Message::At(Visit { number: u64::MAX, finish, value: true, clocks: None })), 13);
        assert_eq!(length(Message::AtReply(Reply { number: u64::MAX, ..Reply::default() })), 12);
    }
}
