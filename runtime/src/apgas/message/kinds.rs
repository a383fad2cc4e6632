//! Kinds of active messages between places (von Eicken and others, "Active Messages", ISCA 1992), and their
//! encodings.

use crate::apgas::finish::id::FinishId;
use crate::base::place::PlaceId;
use crate::serialize::Error;
use crate::serialize::read::Input;
use crate::serialize::write;

/// Starts an activity: finish, clocks, closure.
pub(crate) const SPAWN: u8 = 1;
/// Runs the body of an `at`, for which the sender's activity waits: number of the call, finish, flags
/// ([`about`]), clocks, closure.
pub(crate) const AT: u8 = 2;
/// Answer to [`AT`], at the end of the body: number of the call, an [`outcome`], clocks, graph of the value
/// or exception.
pub(crate) const AT_REPLY: u8 = 3;
/// From a proxy to the home of a finish: a [`FinishDelta`].
pub(crate) const FINISH_REPORT: u8 = 4;
/// A request for a put: see [`Transfer`].
pub(crate) const GET: u8 = 5;
/// The end of a put: number of the transfer, length and text of an error.
pub(crate) const PUT_DONE: u8 = 6;
/// Answer to [`ACCELERATORS_REQUEST`]: the accelerators of a host.
pub(crate) const ACCELERATORS: u8 = 7;
/// From place 0, after a [`TOPOLOGY_REQUEST`]: all places.
pub(crate) const TOPOLOGY: u8 = 8;
/// From place 0: the program has ended, with an exit status. To place 0: requests the end.
pub(crate) const PROGRAM_END: u8 = 9;
/// A part of a collective operation.
pub(crate) const TEAM: u8 = 10;

/// To place 0: requests the topology.
pub(crate) const TOPOLOGY_REQUEST: u8 = 11;
/// From place 0: requests the accelerators of a host.
pub(crate) const ACCELERATORS_REQUEST: u8 = 12;
/// An operation on a clock of the receiver.
pub(crate) const CLOCK: u8 = 13;
/// Answer to some [`CLOCK`] messages: number of the request.
pub(crate) const CLOCK_DONE: u8 = 14;

/// From place 0, for quiescence detection: number of the wave.
pub(crate) const QUIESCENCE_REQUEST: u8 = 15;
/// Answer to [`QUIESCENCE_REQUEST`]: number of the wave, whether the place is deadlocked, number of messages
/// sent, number of messages handled.
pub(crate) const QUIESCENCE_REPORT: u8 = 16;
/// From place 0: requests that the place prints where its activities wait.
pub(crate) const WAIT_REPORT_REQUEST: u8 = 17;
/// Answer to [`WAIT_REPORT_REQUEST`], after the printing.
pub(crate) const WAIT_REPORT_DONE: u8 = 18;
/// Changes of weights of the receiver's objects: see [`crate::heap::global_refs`].
pub(crate) const WEIGHT_CHANGES: u8 = 19;
/// Requests a collection, since references of the receiver may keep objects of the sender alive, which is
/// short of memory: number of the round.
pub(crate) const COLLECTION_REQUEST: u8 = 20;
/// Answer to [`COLLECTION_REQUEST`], after the changes of weights that the collection caused: number of the
/// round.
pub(crate) const COLLECTION_DONE: u8 = 21;

/// Whether a message starts no activity: such messages do not count for quiescence detection.
pub(crate) fn is_control(kind: u8) -> bool {
    (QUIESCENCE_REQUEST..=COLLECTION_DONE).contains(&kind)
}

/// A put into memory that the receiver owns: a [`Transfer`].
pub(crate) const PUT: u8 = 1;
/// A put that answers a [`GET`]: the number of the transfer.
pub(crate) const PUT_BACK: u8 = 2;

/// Flags of the body of an `at`.
pub(crate) mod about {
    /// The body has a value.
    pub(crate) const VALUE: u64 = 1;
    /// The activity has clocks, or is nested deep in activities that wait for it.
    pub(crate) const CLOCK_CONTEXT: u64 = 2;
}

/// Outcomes of the body of an `at`.
pub(crate) mod outcome {
    /// Normal completion without a value.
    pub(crate) const DONE: u64 = 0;
    /// Normal completion with a value.
    pub(crate) const VALUE: u64 = 1;
    /// An exception was thrown.
    pub(crate) const EXCEPTION: u64 = 2;
    /// Flag: the body has started activities, so the body counts as an activity that was sent to the place.
    pub(crate) const COUNTED: u64 = 4;
    /// Flag: the activity had clocks, or has them now.
    pub(crate) const CLOCKS: u64 = 8;
}

impl FinishId {
    pub(crate) fn encode(self, out: &mut Vec<u8>) {
        write::number(out, self.home.into());
        write::number(out, self.number);
    }

    pub(crate) fn decode(input: &mut Input<'_>) -> Result<FinishId, Error> {
        Ok(FinishId { home: place(input)?, number: input.number()? })
    }
}

pub(crate) fn place(input: &mut Input<'_>) -> Result<PlaceId, Error> {
    match u32::try_from(input.number()?) {
        Ok(place) => Ok(PlaceId(place)),
        Err(_) => input.malformed("the number of a place"),
    }
}

/// Report of a proxy to the home of a finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FinishDelta {
    /// The finish's number at home.
    pub finish: u64,
    /// By place: number of activities sent there, minus the number of those that have ended.
    pub deltas: Vec<(PlaceId, i64)>,
    /// Graphs of the exceptions.
    pub exceptions: Vec<Vec<u8>>,
}

impl FinishDelta {
    /// As bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write::number(&mut out, self.finish);
        write::number(&mut out, self.deltas.len() as u64);
        for (place, delta) in &self.deltas {
            write::number(&mut out, (*place).into());
            write::signed(&mut out, *delta);
        }
        write::number(&mut out, self.exceptions.len() as u64);
        for exception in &self.exceptions {
            write::number(&mut out, exception.len() as u64);
            out.extend_from_slice(exception);
        }
        out
    }

    /// From bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Result<FinishDelta, Error> {
        let mut input = Input::new(bytes);
        let finish = input.number()?;
        let mut deltas = Vec::new();
        for _ in 0..input.number()? {
            deltas.push((place(&mut input)?, input.signed()?));
        }
        let mut exceptions = Vec::new();
        for _ in 0..input.number()? {
            let length = input.number()?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            exceptions.push(input.bytes(length)?.to_vec());
        }
        input.end()?;
        Ok(FinishDelta { finish, deltas, exceptions })
    }
}

/// A transfer of bytes between a rail of the sender and memory of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// The sender's number of the transfer.
    pub number: u64,
    /// The place that owns the memory: the receiver or an accelerator of it.
    pub place: i64,
    /// Number of a global rail, or its address on the accelerator.
    pub handle: i64,
    /// Offset in the rail, in bytes.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Size of an element, to detect rails of another type.
    pub element: u64,
}

impl Transfer {
    /// As bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write::number(&mut out, self.number);
        write::signed(&mut out, self.place);
        write::signed(&mut out, self.handle);
        for number in [self.offset, self.bytes, self.element] {
            write::number(&mut out, number);
        }
        out
    }

    /// From bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Transfer, Error> {
        let mut input = Input::new(bytes);
        let transfer = Transfer {
            number: input.number()?,
            place: input.signed()?,
            handle: input.signed()?,
            offset: input.number()?,
            bytes: input.number()?,
            element: input.number()?,
        };
        input.end()?;
        Ok(transfer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_round_trip_and_truncated_ones_are_errors() {
        let report = FinishDelta {
            finish: 300,
            deltas: vec![(PlaceId(0), -3), (PlaceId(2), i64::MAX)],
            exceptions: vec![vec![], vec![1, 2, 3]],
        };
        let bytes = report.encode();
        assert_eq!(FinishDelta::decode(&bytes), Ok(report));
        let transfer =
            Transfer { number: 1, place: -1, handle: i64::MIN, offset: 7, bytes: u64::MAX, element: 8 };
        let other = transfer.encode();
        assert_eq!(Transfer::decode(&other), Ok(transfer));
        for length in 0..bytes.len() {
            assert!(FinishDelta::decode(&bytes[..length]).is_err());
        }
        for length in 0..other.len() {
            assert!(Transfer::decode(&other[..length]).is_err());
        }
    }
}
