//! The engine of a place: the calls of all slots that live there, and the messages of other places.

mod begun;
mod collectives;
mod done;
mod failures;
mod immediate;
mod inbox;
mod point_to_point;
mod record;
mod state;

use std::sync::{Arc, OnceLock, PoisonError};

use crossbeam_utils::sync::ShardedLockWriteGuard;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use self::begun::{test, wait};
use self::collectives::Meeting;
pub use self::immediate::NotNow;
pub use self::state::Engine;
use self::state::{
    Done, DoneKind, GroupRef, GroupState, Halves, Incoming, Outgoing, Outstanding, Posted, SlotState, Waiting,
};
use super::group::{Group, Part, Side};
use super::message::{SlotMessage, Transport};
use super::request::{Call, Completion, Continuation, Failure, Probe, Request};
use super::waits::Wait;
use crate::profile::SlotCall;

/// Sends and receives that a slot has begun and not waited for, at most.
pub const MAX_OUTSTANDING: usize = 65_536;

impl Engine {
    /// Makes a group known at this host place.
    pub fn register(&self, number: i64, group: Group, here: u32) {
        let mut count = 0;
        let mut own = Vec::new();
        for part in group.parts().iter().filter(|part| part.host == here) {
            own.push((*part, count));
            count += part.count as usize;
        }
        let slots = (0..count).map(|_| SlotState::default()).collect();
        let state = GroupState {
            number,
            here,
            group,
            own,
            slots,
            instances: Mutex::default(),
            shapes: Mutex::default(),
            failure: OnceLock::new(),
        };
        self.groups_mut().insert(number, GroupRef::of_slots(state, count.max(1)));
    }

    /// Nothing is done with a group any more.
    pub fn forget(&self, number: i64) {
        self.groups_mut().remove(&number);
    }

    /// The slots of a group at a place.
    ///
    /// # Errors
    /// The group is not known here.
    pub fn part(&self, number: i64, place: i64, side: Side) -> Result<Option<Part>, Failure> {
        let group = self.group(number, 0).ok_or_else(unknown_group)?;
        let is_it = |part: &&Part| part.place == place && part.side == side && part.count > 0;
        Ok(group.group.parts().iter().find(is_it).copied())
    }

    /// The slots that groups have for blocks of kernels at a place, with the numbers of the groups, new ones
    /// first.
    pub fn block_parts(&self, place: i64) -> Vec<(i64, Part)> {
        let is_it = |part: &&Part| part.place == place && part.side == Side::Blocks && part.count > 0;
        let groups = self.all_groups();
        let own = groups.iter().filter(|(_, group)| group.failure.get().is_none());
        let mut found: Vec<_> = own
            .filter_map(|(number, group)| Some((*number, *group.group.parts().iter().find(is_it)?)))
            .collect();
        found.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        found
    }

    /// The slots that a group has for blocks of kernels at this host place and its accelerators.
    pub fn neighbours(&self, number: i64) -> Vec<Part> {
        let Some(group) = self.group(number, 0) else { return Vec::new() };
        let is_it = |part: &&Part| part.host == group.here && part.side == Side::Blocks && part.count > 0;
        group.group.parts().iter().filter(is_it).copied().collect()
    }

    /// A group, as a slot of a rank refers to it.
    fn group(&self, number: i64, rank: i64) -> Option<GroupRef> {
        let groups = self.groups.read().unwrap_or_else(PoisonError::into_inner);
        let refs = groups.get(&number)?;
        refs.get(rank.rem_euclid(refs.len() as i64) as usize).cloned()
    }

    fn groups_mut(&self) -> ShardedLockWriteGuard<'_, FxHashMap<i64, Vec<GroupRef>>> {
        self.groups.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// All groups with their numbers.
    fn all_groups(&self) -> Vec<(i64, GroupRef)> {
        let groups = self.groups.read().unwrap_or_else(PoisonError::into_inner);
        groups.iter().filter_map(|(number, refs)| Some((*number, refs.first()?.clone()))).collect()
    }

    /// Begins a call. `then` is called once, perhaps before this returns, by any thread, without a lock.
    pub fn post(&self, transport: &dyn Transport, request: Request, then: Continuation) {
        let Some(group) = self.group(request.group, request.rank) else { return then(Err(unknown_group())) };
        let rank = match own_rank(&group, &request) {
            Ok(rank) => rank,
            Err(failure) => {
                self.fail(transport, &group, &failure.message);
                return then(Err(failure));
            }
        };
        if let Some(failure) = group.failed() {
            return then(Err(failure));
        }
        let (recorded, then) = group.record_call(rank, &request, then);
        match request.call {
            Call::Test => then(test(&group, rank, request.partner as u64)),
            Call::Wait => wait(&group, rank, &request, then),
            _ => {
                let done = match self.begin(&group, rank, &request, then) {
                    Ok(done) => done,
                    Err((failure, then)) => {
                        self.fail(transport, &group, &failure.message);
                        return then(Err(failure));
                    }
                };
                self.start(transport, &group, rank, request, done);
            }
        }
        recorded.into_iter().for_each(SlotCall::end);
    }

    /// Notes that a call begins.
    fn begin(
        &self,
        group: &GroupRef,
        rank: u32,
        request: &Request,
        then: Continuation,
    ) -> Result<Done, (Failure, Continuation)> {
        let Some(slot) = group.slot(rank) else { return Err((not_here(group, request.rank), then)) };
        let mut calls = slot.calls.lock();
        calls.owner = request.owner;
        let done = |kind| Done { group: group.clone(), rank, kind };
        if request.call.blocks() {
            if let Some(waiting) = &calls.waiting {
                return Err((in_use(rank, request, waiting), then));
            }
            calls.waiting = Some(Waiting::new(request));
            return Ok(done(DoneKind::Call(then)));
        }
        if calls.outstanding.len() >= MAX_OUTSTANDING {
            let message = format!(
                "slot {rank} has begun {MAX_OUTSTANDING} sends and receives that it has not waited for: wait for some before more are begun"
            );
            return Err((Failure::operation(message), then));
        }
        calls.next += 1;
        let number = calls.next;
        calls.outstanding.insert(number, Outstanding::Pending);
        drop(calls);
        then(Ok(Completion { source: 0, elements: number }));
        Ok(done(DoneKind::Outstanding(number)))
    }

    fn start(&self, transport: &dyn Transport, group: &GroupRef, rank: u32, request: Request, done: Done) {
        let Request { call, partner, from, tag, operation, subgroup, source, sent, target, wanted, .. } =
            request;
        let gathered = request.gathered;
        match call {
            Call::Send | Call::StartSend => {
                self.send(transport, group, rank, (partner, tag), (source, sent), done)
            }
            Call::Receive | Call::StartReceive => {
                self.receive(transport, group, (from, tag), rank, Posted { target, wanted, done });
            }
            Call::Exchange | Call::Replace if request.is_sent => {
                group.note_half(rank, false);
                self.receive(transport, group, (from, tag), rank, Posted { target, wanted, done });
            }
            Call::Exchange | Call::Replace => {
                let source = match if call == Call::Replace { source.packed() } else { Ok(source) } {
                    Ok(source) => source,
                    Err(failure) => return self.refuse(transport, group, failure, done),
                };
                let owner = Arc::new(Mutex::new(Halves { first: None, done: Some(done) }));
                let half = |is_receive| Done {
                    group: group.clone(),
                    rank,
                    kind: DoneKind::Half { both: Arc::clone(&owner), is_receive },
                };
                let receive = Posted { target, wanted, done: half(true) };
                self.receive(transport, group, (from, tag), rank, receive);
                self.send(transport, group, rank, (partner, tag), (source, sent), half(false));
            }
            _ => match Meeting::new(group, rank, (call, gathered), partner, sent, operation, subgroup) {
                Ok(meeting) => self.collect(transport, group, meeting, source, target, done),
                Err(failure) => self.refuse(transport, group, failure, done),
            },
        }
    }

    /// Handles a message of another place.
    ///
    /// # Errors
    /// The message makes no sense; the error names what was expected.
    pub fn on_message(
        &self,
        transport: &dyn Transport,
        from: u32,
        message: SlotMessage,
        payload: &[u8],
    ) -> Result<(), &'static str> {
        match message {
            SlotMessage::Envelope(envelope) => self.on_envelope(transport, from, envelope, payload),
            SlotMessage::Pull { number, into } => {
                // A group that has failed here has forgotten the send.
                let Some(Outgoing { source, done, .. }) = self.take_outgoing(from, number)? else {
                    return Ok(());
                };
                match source.on_host() {
                    Ok(source) => {
                        transport.send(from, &SlotMessage::Data(into), source.bytes());
                        drop(source);
                        done.finish(Ok(Completion::default()));
                    }
                    Err(failure) => {
                        let group = done.group.clone();
                        self.refuse(transport, &group, failure, done);
                    }
                }
                Ok(())
            }
            SlotMessage::Data(into) => {
                let Some(incoming) = self.remote.lock().incoming.remove(&into) else { return Ok(()) };
                if (incoming.host, incoming.bytes) != (from, payload.len() as u64) {
                    return Err("as many bytes as the envelope says, from its place");
                }
                let Incoming { target, result, done, .. } = incoming;
                match target.write(payload) {
                    Ok(()) => done.finish(Ok(result)),
                    Err(failure) => {
                        let group = done.group.clone();
                        self.refuse(transport, &group, failure, done);
                    }
                }
                Ok(())
            }
            SlotMessage::Taken(number) => {
                if let Some(outgoing) = self.take_outgoing(from, number)? {
                    outgoing.done.finish(Ok(Completion::default()));
                }
                Ok(())
            }
            SlotMessage::Collect(collected) => self.on_collected(transport, from, collected, payload),
            SlotMessage::Result { group, subgroup } => self.on_result(transport, group, subgroup, payload),
            SlotMessage::Failed { group, message } => {
                if let Some(group) = self.group(group, 0) {
                    self.fail_here(transport, &group, &message);
                }
                Ok(())
            }
        }
    }

    /// The calls in which slots of this place wait, and what says where they are in the program.
    pub fn waits(&self) -> Vec<(Wait, Option<Arc<dyn Probe>>)> {
        let groups = self.all_groups();
        let mut found = Vec::new();
        for (_, group) in groups {
            for (part, rank, slot) in group.all_slots() {
                let Some(waiting) = slot.calls.lock().waiting.clone() else { continue };
                let (first, count) = waiting.gathered;
                let others = (first..first.saturating_add(count)).filter(|it| group.slot(*it).is_some());
                let wait = |rank, block: Option<i64>| Wait {
                    group: group.number,
                    rank,
                    call: waiting.call.number(),
                    partner: waiting.partner,
                    from: waiting.from,
                    tag: waiting.tag,
                    elements: waiting.elements,
                    left: waiting.left,
                    subgroup: waiting.subgroup,
                    place: part.place,
                    block: block.filter(|_| part.side == Side::Blocks),
                    milliseconds: waiting.since.elapsed().as_millis() as u64,
                    lines: Vec::new(),
                };
                found.push((wait(rank, waiting.block), waiting.probe.clone()));
                // Those for which it makes the call wait for it.
                found.extend(
                    others.filter(|it| *it != rank).map(|it| (wait(it, None), waiting.probe.clone())),
                );
            }
        }
        found.sort_by_key(|(wait, _)| (wait.group, wait.rank));
        found
    }
}

/// The rank of a request, if it is a slot of this place.
fn own_rank(group: &GroupState, request: &Request) -> Result<u32, Failure> {
    let rank = request.rank;
    match u32::try_from(rank) {
        Ok(rank) if group.slot(rank).is_some() => Ok(rank),
        _ => Err(not_here(group, rank)),
    }
}

fn not_here(group: &GroupState, rank: i64) -> Failure {
    let found = u32::try_from(rank).ok().and_then(|rank| group.group.part_of(rank));
    Failure::argument(match found {
        Some(part) => format!("slot {rank} belongs to Place({}): it makes its calls there", part.place),
        None => {
            "a call of a slot that the group does not have at this place: a block or activity has no slot of \
                 its own if there are fewer slots than blocks"
                .to_owned()
        }
    })
}

fn in_use(rank: u32, request: &Request, waiting: &Waiting) -> Failure {
    let of = |block: Option<i64>| block.map_or("an activity".to_owned(), |block| format!("block {block}"));
    Failure::operation(format!(
        "{} calls {} of slot {rank}, in whose {} {} waits: a slot belongs to one block or activity",
        of(request.block),
        request.call.name(),
        waiting.call.name(),
        of(waiting.block)
    ))
}

fn unknown_group() -> Failure {
    let why = "the group of slots is not known here: it was deleted, or this place is none of its places";
    Failure::operation(why.to_owned())
}
