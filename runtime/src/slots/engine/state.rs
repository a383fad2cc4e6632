//! The state of an engine: its groups, what arrives for each slot and what it does, and the sends, receives
//! and collective operations that have not ended.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crossbeam_utils::sync::ShardedLock;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::inbox::Inbox;
use crate::slots::collective::Terms;
use crate::slots::group::{Group, Part, Subgroup};
use crate::slots::request::{
    Call, Completion, Continuation, Elements, Failure, FailureKind, Outcome, Probe, Request, Source, Target,
};
use crate::slots::waits::Left;

/// The groups of a place and what its slots do.
#[derive(Debug, Default)]
pub struct Engine {
    /// References of the slots of this place to each group, at least one. Each call reads the table.
    pub(super) groups: ShardedLock<FxHashMap<i64, Vec<GroupRef>>>,
    pub(super) remote: Mutex<RemoteTable>,
}

/// Transfers to and from other places.
#[derive(Debug, Default)]
pub(super) struct RemoteTable {
    pub(super) next: u64,
    /// Sends that no receive has taken.
    pub(super) outgoing: FxHashMap<u64, Outgoing>,
    /// Receives whose elements are under way.
    pub(super) incoming: FxHashMap<u64, Incoming>,
}

#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) host: u32,
    pub(super) source: Source,
    pub(super) done: Done,
}

#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) host: u32,
    pub(super) bytes: u64,
    pub(super) target: Target,
    pub(super) result: Completion,
    pub(super) done: Done,
}

/// A group as one of its slots refers to it. Each slot has a counter of references of its own, so that calls
/// of different slots do not write to one cache line.
#[derive(Clone, Debug)]
#[expect(clippy::redundant_allocation, reason = "a counter of references for each slot")]
pub(super) struct GroupRef(Arc<Arc<GroupState>>);

impl GroupRef {
    /// References for that many slots.
    pub(super) fn of_slots(group: GroupState, slots: usize) -> Vec<GroupRef> {
        let group = Arc::new(group);
        (0..slots).map(|_| GroupRef(Arc::new(Arc::clone(&group)))).collect()
    }

    pub(super) fn is_same(&self, other: &GroupRef) -> bool {
        Arc::ptr_eq(&*self.0, &*other.0)
    }
}

impl std::ops::Deref for GroupRef {
    type Target = GroupState;

    fn deref(&self) -> &GroupState {
        &self.0
    }
}

/// A group at one place.
#[derive(Debug)]
pub(super) struct GroupState {
    pub(super) number: i64,
    pub(super) here: u32,
    pub(super) group: Group,
    /// The parts of this place, and the position of their first slot in `slots`.
    pub(super) own: Vec<(Part, usize)>,
    pub(super) slots: Vec<SlotState>,
    pub(super) instances: Mutex<FxHashMap<Subgroup, Instance>>,
    /// The hosts of subgroups whose collective operations have been called.
    pub(super) shapes: Mutex<FxHashMap<Subgroup, Arc<Shape>>>,
    pub(super) failure: OnceLock<String>,
}

/// A slot of this place.
#[derive(Debug, Default)]
pub(super) struct SlotState {
    pub(super) inbox: Inbox,
    pub(super) calls: Mutex<Calls>,
}

impl SlotState {
    /// Sends and receives that the slot has begun and that have not ended.
    pub(super) fn count_pending(&self) -> usize {
        let calls = self.calls.lock();
        calls.outstanding.values().filter(|it| matches!(it, Outstanding::Pending)).count()
    }
}

/// What a slot does.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The call in which it waits.
    pub(super) waiting: Option<Waiting>,
    /// The activity that has made the last call.
    pub(super) owner: usize,
    pub(super) outstanding: FxHashMap<u64, Outstanding>,
    pub(super) next: u64,
    /// Sends to each slot of another place, or with a profile to each slot.
    pub(super) sent: FxHashMap<u32, u64>,
}

#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) call: Call,
    pub(super) partner: i64,
    pub(super) from: i64,
    pub(super) tag: i32,
    pub(super) elements: u64,
    /// Elements that an exchange has room for.
    pub(super) wanted: u64,
    pub(super) left: Left,
    pub(super) subgroup: Option<Subgroup>,
    /// As in [`Request`].
    pub(super) gathered: (u32, u32),
    pub(super) block: Option<i64>,
    pub(super) probe: Option<Arc<dyn Probe>>,
    pub(super) since: Instant,
}

/// Something that a slot has begun.
pub(super) enum Outstanding {
    Pending,
    Ended(Outcome),
    /// The slot waits for it.
    Awaited(Continuation),
}

impl std::fmt::Debug for Outstanding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Outstanding::Pending => "Pending",
            Outstanding::Ended(_) => "Ended",
            Outstanding::Awaited(_) => "Awaited",
        })
    }
}

/// A send that has arrived.
#[derive(Debug)]
pub(super) struct Sent {
    /// How many sends of this pair of slots were before it, as in [`Envelope`]. Of local sends it is only
    /// counted for a profile.
    pub(super) sequence: u64,
    pub(super) elements: Elements,
    pub(super) origin: Origin,
}

#[derive(Debug)]
pub(super) enum Origin {
    /// From a slot of this place.
    Local(Source, Done),
    /// From another place, with its elements.
    Eager { host: u32, number: u64, payload: Vec<u8> },
    /// From another place, which keeps the elements.
    Rendezvous { host: u32, number: u64, bytes: u64 },
}

/// A receive.
#[derive(Debug)]
pub(super) struct Posted {
    pub(super) target: Target,
    pub(super) wanted: Elements,
    pub(super) done: Done,
}

/// A slot that has arrived.
#[derive(Debug)]
pub(super) struct Arrival {
    /// Its position in the subgroup.
    pub(super) position: u32,
    /// What it sends.
    pub(super) source: Source,
    /// Where its result goes.
    pub(super) target: Target,
    /// What is done at the end.
    pub(super) done: Done,
}

/// Where the slots of a subgroup are.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its hosts with the positions of their slots, in order.
    pub(super) hosts: Vec<(u32, Vec<u32>)>,
    /// Number of its slots at this place.
    pub(super) here: usize,
}

/// A collective operation that slots have begun.
#[derive(Debug)]
pub(super) struct Instance {
    /// What the slots agree on.
    pub(super) terms: Terms,
    /// The rank that has arrived first, or whose place's message has.
    pub(super) opened_by: u32,
    /// Where the subgroup's slots are.
    pub(super) shape: Arc<Shape>,
    /// Number of the slots of this place that have arrived.
    pub(super) arrived: usize,
    /// Those that have made a call.
    pub(super) arrivals: Vec<Arrival>,
    /// At the host of the first slot: inputs of the slots of other hosts, in order of positions.
    pub(super) remote: FxHashMap<u32, Vec<u8>>,
}

/// What is done at the end of a call.
pub(super) struct Done {
    pub(super) group: GroupRef,
    pub(super) rank: u32,
    pub(super) kind: DoneKind,
}

pub(super) enum DoneKind {
    /// The slot has waited.
    Call(Continuation),
    /// The slot has begun it.
    Outstanding(u64),
    /// It is the send or the receive of an exchange.
    Half { both: Arc<Mutex<Halves>>, is_receive: bool },
}

/// The two halves of an exchange.
pub(super) struct Halves {
    pub(super) first: Option<Outcome>,
    pub(super) done: Option<Done>,
}

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Done").field("group", &self.group.number).field("rank", &self.rank).finish()
    }
}

impl GroupState {
    pub(super) fn slot(&self, rank: u32) -> Option<&SlotState> {
        let (part, first) = self.own.iter().find(|(part, _)| rank.wrapping_sub(part.first) < part.count)?;
        self.slots.get(first + (rank - part.first) as usize)
    }

    /// All slots of this place with their ranks.
    pub(super) fn all_slots(&self) -> impl Iterator<Item = (&Part, u32, &SlotState)> {
        let ranks =
            self.own.iter().flat_map(|(part, _)| (0..part.count).map(move |at| (part, part.first + at)));
        ranks.zip(&self.slots).map(|((part, rank), slot)| (part, rank, slot))
    }

    /// A rank that a call names.
    pub(super) fn rank(&self, rank: i64, what: &str) -> Result<u32, Failure> {
        match u32::try_from(rank) {
            Ok(rank) if rank < self.group.size() => Ok(rank),
            _ => {
                let last = i64::from(self.group.size()) - 1;
                Err(Failure::argument(format!("{what} slot {rank}: the slots of the group are 0 to {last}")))
            }
        }
    }

    /// Counts a send from one slot to another; the number of those before it.
    pub(super) fn count_send(&self, from: u32, to: u32) -> u64 {
        let Some(slot) = self.slot(from) else { return 0 };
        let mut calls = slot.calls.lock();
        let sent = calls.sent.entry(to).or_default();
        *sent += 1;
        *sent - 1
    }

    /// Notes who makes a call of a slot that does not wait. `None` if a call of the slot waits already, the
    /// slot is not at this place, or the group has failed.
    pub(super) fn begin_now(&self, rank: u32, owner: usize) -> Option<()> {
        let slot = self.slot(rank)?;
        let mut calls = slot.calls.lock();
        if calls.waiting.is_some() || self.failure.get().is_some() {
            return None;
        }
        calls.owner = owner;
        Some(())
    }

    /// One half of an exchange of a slot has ended.
    pub(super) fn note_half(&self, rank: u32, is_receive: bool) {
        let Some(slot) = self.slot(rank) else { return };
        if let Some(waiting) = &mut slot.calls.lock().waiting {
            waiting.left = if is_receive { Left::Send } else { Left::Receive(waiting.wanted) };
        }
    }

    pub(super) fn failed(&self) -> Option<Failure> {
        self.failure.get().map(|why| follow_up(why))
    }
}

impl Waiting {
    /// A call begins to wait.
    pub(super) fn new(request: &Request) -> Waiting {
        let [first, count, stride] = request.subgroup;
        let is_collective = request.call.is_collective();
        Waiting {
            call: request.call,
            partner: request.partner,
            from: request.from,
            tag: request.tag,
            elements: if request.call == Call::Receive { request.wanted.count } else { request.sent.count },
            wanted: request.wanted.count,
            left: Left::All,
            subgroup: is_collective.then(|| Subgroup::new(first, count, stride, u32::MAX)).flatten(),
            gathered: request.gathered,
            block: request.block,
            probe: request.probe.clone(),
            since: Instant::now(),
        }
    }
}

/// The failure of a call in a group that has failed before.
pub(super) fn follow_up(why: &str) -> Failure {
    Failure { kind: FailureKind::Group, message: format!("the group of slots has failed: {why}") }
}
