//! Active messages between places (von Eicken and others, "Active Messages", ISCA 1992): [`Message`], its
//! derived codec ([`mod@codec`]) and the check of what another place says ([`validate`]).

use serde::{Deserialize, Serialize};

use crate::apgas::clock::{ClockContext, ClockRegistration};
use crate::apgas::finish::id::FinishId;
use crate::base::place::PlaceId;
use crate::heap::global_refs::Change;
use crate::slots::message::SlotMessage;
use crate::slots::waits::WaitMessage;
use crate::topology::{Accelerator, Topology};

pub mod codec;
pub mod validate;

/// A message from one place to another. Behind some, where it is said, is a payload in the same body: graphs
/// of objects, which the activities that use them decode ([`crate::apgas::marshal`]), or elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// Starts an activity of that finish; payload: its closure.
    Spawn {
        /// The finish that waits for it.
        finish: FinishId,
        /// Its clocks.
        clocks: ClockContext,
    },
    /// Runs the body of an `at`; payload: its closure.
    At(Visit),
    /// Answer to [`Message::At`], at the end of the body; payload: its value or exception, if it has one.
    AtReply(Reply),
    /// From a proxy to the home of a finish.
    FinishReport(FinishDelta),
    /// Requests a put of memory of the receiver.
    Get(Transfer),
    /// A put has ended, or a get has failed.
    PutDone {
        /// The receiver's number of the transfer.
        number: u64,
        /// What has failed; empty if nothing has.
        error: String,
    },
    /// To place 0, answer to [`Message::AcceleratorsRequest`]: the accelerators of a host.
    Accelerators(Vec<Accelerator>),
    /// From place 0, after a [`Message::TopologyRequest`]: all places.
    Topology(Topology),
    /// From place 0: the program has ended, with an exit status. To place 0: requests the end.
    ProgramEnd(i32),
    /// A part of a collective operation; payload: its elements.
    Team(TeamStep),
    /// To place 0: requests the topology.
    TopologyRequest,
    /// From place 0: requests the accelerators of a host.
    AcceleratorsRequest,
    /// An operation on a clock of the receiver.
    Clock {
        /// What is done.
        operation: ClockOperation,
        /// The sender's number of the request, if it awaits an answer.
        number: u64,
        /// The clock, and the activity's state on it.
        registration: ClockRegistration,
    },
    /// Answer to some [`Message::Clock`]: the number of the request.
    ClockDone(u64),
    /// From place 0, for quiescence detection: number of the wave.
    QuiescenceRequest(u64),
    /// Answer to [`Message::QuiescenceRequest`].
    QuiescenceReport {
        /// The wave.
        number: u64,
        /// Of the sender.
        state: PlaceState,
    },
    /// From place 0: requests that the place prints where its activities wait.
    WaitReportRequest,
    /// Answer to [`Message::WaitReportRequest`], after the printing.
    WaitReportDone,
    /// Changes of weights of the receiver's objects: see [`crate::heap::global_refs`].
    WeightChanges(Vec<Change>),
    /// Requests a collection, since references of the receiver may keep objects of the sender alive, which is
    /// short of memory: number of the round.
    CollectionRequest(u64),
    /// Answer to [`Message::CollectionRequest`], after the changes of weights that the collection caused:
    /// number of the round.
    CollectionDone(u64),
    /// Between the engines of slots; payload: elements.
    Slots(SlotMessage),
    /// About slots that wait for long.
    SlotWaits(WaitMessage),
}

impl Message {
    /// Whether it starts no activity: such messages do not count for quiescence detection.
    pub fn is_control(&self) -> bool {
        use Message::*;
        matches!(
            self,
            QuiescenceRequest(_)
                | QuiescenceReport { .. }
                | WaitReportRequest
                | WaitReportDone
                | WeightChanges(_)
                | CollectionRequest(_)
                | CollectionDone(_)
                | SlotWaits(_)
        )
    }
}

/// The body of an `at`, for which an activity of the sender waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// Number of the call.
    #[serde(with = "postcard::fixint::le")]
    pub number: u64,
    /// The finish of new activities of the body.
    pub finish: FinishId,
    /// Whether the body has a value.
    pub value: bool,
    /// The clock context of the activity, if it has clocks, or is nested deep in activities that wait for it.
    pub clocks: Option<ClockContext>,
}

/// How the body of an `at` has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Number of the call.
    #[serde(with = "postcard::fixint::le")]
    pub number: u64,
    /// What the payload is.
    pub outcome: Outcome,
    /// The body has started activities, so that it counts as an activity that was sent to the place.
    pub counted: bool,
    /// The clocks of the activity, if it had some, or has some now.
    pub clocks: Option<ClockContext>,
}

/// Outcome of the body of an `at`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Normal completion without a value.
    #[default]
    Done,
    /// Normal completion with a value.
    Value,
    /// An exception was thrown.
    Exception,
}

/// Report of a proxy to the home of a finish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishDelta {
    /// The finish's number at home.
    pub finish: u64,
    /// By place: number of activities sent there, minus the number of those that have ended.
    pub deltas: Vec<(PlaceId, i64)>,
    /// Graphs of the exceptions.
    pub exceptions: Vec<Vec<u8>>,
}

/// A transfer of bytes between a rail of the sender and memory of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
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

/// The header of a put: where its bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PutHeader {
    /// To memory that the receiver owns.
    To(Transfer),
    /// To the rail of a get of the receiver: its number of the transfer.
    Back(u64),
}

/// One message of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TeamStep {
    /// The team.
    pub team: i64,
    /// How many operations the team has begun.
    pub number: u64,
    /// Which message of the operation.
    pub step: u32,
}

/// An operation on a clock. The first two are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClockOperation {
    /// A new activity is registered.
    Register,
    /// An activity waits for the end of a phase.
    Wait,
    /// An activity has arrived.
    Resume,
    /// A registration has ended.
    End,
}

/// The state of a place at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceState {
    /// All its activities wait.
    pub is_quiescent: bool,
    /// Messages that it has sent.
    pub sent: u64,
    /// Messages that it has received, and whose work it has started.
    pub received: u64,
}
