//! The engine of a place: the calls of all slots that live there, and the messages of other places.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;

use super::collective::{Arrival, Instance, Results, Terms, results, slice};
use super::group::{Group, Part, Side, Subgroup};
use super::matching::Matcher;
use super::message::{Collected, Envelope, SlotMessage};
use super::reduction::{Operation, combine};
use super::request::{
    ANY_SOURCE, Call, Completion, Continuation, Elements, Failure, Outcome, Probe, Request, Source, Target,
};
use super::waits::Wait;

/// Sends and receives that a slot has begun and not waited for, at most.
pub const MAX_OUTSTANDING: usize = 65_536;

/// Carries messages to the engines of other host places.
pub trait Transport {
    /// Sends a message and its payload; the messages to one place may arrive in any order.
    fn send(&self, host: u32, message: &SlotMessage, payload: &[u8]);
}

/// The groups of a place and what its slots do.
#[derive(Debug, Default)]
pub struct Engine {
    groups: RwLock<FxHashMap<i64, Arc<GroupState>>>,
    remote: Mutex<RemoteTable>,
}

/// Transfers to and from other places.
#[derive(Debug, Default)]
struct RemoteTable {
    next: u64,
    /// Sends that no receive has taken.
    outgoing: FxHashMap<u64, Outgoing>,
    /// Receives whose elements are under way.
    incoming: FxHashMap<u64, Incoming>,
}

#[derive(Debug)]
struct Outgoing {
    host: u32,
    source: Source,
    done: Done,
}

#[derive(Debug)]
struct Incoming {
    host: u32,
    bytes: u64,
    target: Target,
    result: Completion,
    done: Done,
}

/// A group at one place.
#[derive(Debug)]
struct GroupState {
    number: i64,
    here: u32,
    group: Group,
    /// The parts of this place, and the position of their first slot in `slots`.
    own: Vec<(Part, usize)>,
    slots: Vec<SlotState>,
    instances: Mutex<FxHashMap<Subgroup, Instance>>,
    failure: OnceLock<String>,
}

/// A slot of this place.
#[derive(Debug, Default)]
struct SlotState {
    inbox: Mutex<Inbox>,
    calls: Mutex<Calls>,
}

impl SlotState {
    /// Sends and receives that the slot has begun and that have not ended.
    fn count_pending(&self) -> usize {
        let calls = self.calls.lock();
        calls.outstanding.values().filter(|it| matches!(it, Outstanding::Pending)).count()
    }
}

/// What arrives for a slot.
#[derive(Debug, Default)]
struct Inbox {
    matcher: Matcher<Sent, Posted>,
    /// Sends that have arrived from each slot of other places.
    arrived: FxHashMap<u32, u64>,
    /// Envelopes that have overtaken others, by source and number.
    early: BTreeMap<(u32, u64), (u32, Envelope, Vec<u8>)>,
}

/// What a slot does.
#[derive(Debug, Default)]
struct Calls {
    /// The call in which it waits.
    waiting: Option<Waiting>,
    /// The activity that has made the last call.
    owner: usize,
    outstanding: FxHashMap<u64, Outstanding>,
    next: u64,
    /// Sends to each slot of another place.
    sent: FxHashMap<u32, u64>,
}

#[derive(Clone, Debug)]
struct Waiting {
    call: Call,
    partner: i64,
    from: i64,
    tag: i32,
    elements: u64,
    subgroup: Option<Subgroup>,
    block: Option<i64>,
    probe: Option<Arc<dyn Probe>>,
    since: Instant,
}

/// Something that a slot has begun.
enum Outstanding {
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
struct Sent {
    elements: Elements,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    /// From a slot of this place.
    Local(Source, Done),
    /// From another place, with its elements.
    Eager { host: u32, number: u64, payload: Vec<u8> },
    /// From another place, which keeps the elements.
    Rendezvous { host: u32, number: u64, bytes: u64 },
}

/// A receive.
#[derive(Debug)]
struct Posted {
    target: Target,
    wanted: Elements,
    done: Done,
}

/// What is done at the end of a call.
pub struct Done {
    group: Arc<GroupState>,
    rank: u32,
    kind: DoneKind,
}

enum DoneKind {
    /// The slot has waited.
    Call(Continuation),
    /// The slot has begun it.
    Outstanding(u64),
    /// It is the send or the receive of an exchange.
    Half { both: Arc<Mutex<Halves>>, is_receive: bool },
}

/// The two halves of an exchange.
struct Halves {
    first: Option<Outcome>,
    done: Option<Done>,
}

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Done").field("group", &self.group.number).field("rank", &self.rank).finish()
    }
}

impl Done {
    /// The call has ended. No lock is held.
    fn finish(self, outcome: Outcome) {
        let Done { group, rank, kind } = self;
        match kind {
            DoneKind::Call(then) => {
                if let Some(slot) = group.slot(rank) {
                    slot.calls.lock().waiting = None;
                }
                then(outcome);
            }
            DoneKind::Outstanding(number) => {
                let Some(slot) = group.slot(rank) else { return };
                let mut calls = slot.calls.lock();
                match calls.outstanding.remove(&number) {
                    Some(Outstanding::Awaited(then)) => {
                        calls.waiting = None;
                        drop(calls);
                        then(outcome);
                    }
                    _ => {
                        calls.outstanding.insert(number, Outstanding::Ended(outcome));
                    }
                }
            }
            DoneKind::Half { both, is_receive } => {
                let mut halves = both.lock();
                match halves.first.take() {
                    None => halves.first = Some(outcome),
                    Some(first) => {
                        let done = halves.done.take();
                        drop(halves);
                        let (send, receive) = if is_receive { (first, outcome) } else { (outcome, first) };
                        if let Some(done) = done {
                            done.finish(send.and(receive));
                        }
                    }
                }
            }
        }
    }
}

impl GroupState {
    fn slot(&self, rank: u32) -> Option<&SlotState> {
        let (part, first) = self.own.iter().find(|(part, _)| rank.wrapping_sub(part.first) < part.count)?;
        self.slots.get(first + (rank - part.first) as usize)
    }

    /// All slots of this place with their ranks.
    fn all_slots(&self) -> impl Iterator<Item = (&Part, u32, &SlotState)> {
        let ranks =
            self.own.iter().flat_map(|(part, _)| (0..part.count).map(move |at| (part, part.first + at)));
        ranks.zip(&self.slots).map(|((part, rank), slot)| (part, rank, slot))
    }

    /// A rank that a call names.
    fn rank(&self, rank: i64, what: &str) -> Result<u32, Failure> {
        match u32::try_from(rank) {
            Ok(rank) if rank < self.group.size() => Ok(rank),
            _ => {
                let last = i64::from(self.group.size()) - 1;
                Err(Failure::argument(format!("{what} slot {rank}: the slots of the group are 0 to {last}")))
            }
        }
    }

    fn failed(&self) -> Option<Failure> {
        self.failure.get().map(|why| follow_up(why))
    }
}

/// The failure of a call in a group that has failed before.
fn follow_up(why: &str) -> Failure {
    Failure::operation(format!("the group of slots has failed: {why}"))
}

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
            failure: OnceLock::new(),
        };
        self.groups.write().insert(number, Arc::new(state));
    }

    /// Nothing is done with a group any more.
    pub fn forget(&self, number: i64) {
        self.groups.write().remove(&number);
    }

    /// The slots of a group at a place.
    ///
    /// # Errors
    /// The group is not known here.
    pub fn part(&self, number: i64, place: i64, side: Side) -> Result<Option<Part>, Failure> {
        let group = self.group(number).ok_or_else(unknown_group)?;
        let is_it = |part: &&Part| part.place == place && part.side == side && part.count > 0;
        Ok(group.group.parts().iter().find(is_it).copied())
    }

    fn group(&self, number: i64) -> Option<Arc<GroupState>> {
        self.groups.read().get(&number).cloned()
    }

    /// Begins a call. `then` is called once, perhaps before this returns, by any thread, without a lock.
    pub fn post(&self, transport: &dyn Transport, request: Request, then: Continuation) {
        let Some(group) = self.group(request.group) else { return then(Err(unknown_group())) };
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
    }

    /// Notes that a call begins.
    fn begin(
        &self,
        group: &Arc<GroupState>,
        rank: u32,
        request: &Request,
        then: Continuation,
    ) -> Result<Done, (Failure, Continuation)> {
        let Some(slot) = group.slot(rank) else { return Err((not_here(group, request.rank), then)) };
        let mut calls = slot.calls.lock();
        calls.owner = request.owner;
        let done = |kind| Done { group: Arc::clone(group), rank, kind };
        if request.call.blocks() {
            if let Some(waiting) = &calls.waiting {
                return Err((in_use(rank, request, waiting), then));
            }
            calls.waiting = Some(waiting(request));
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

    fn start(
        &self,
        transport: &dyn Transport,
        group: &Arc<GroupState>,
        rank: u32,
        request: Request,
        done: Done,
    ) {
        let Request { call, partner, from, tag, operation, subgroup, source, sent, target, wanted, .. } =
            request;
        match call {
            Call::Send | Call::StartSend => {
                self.send(transport, group, rank, (partner, tag), (source, sent), done)
            }
            Call::Receive | Call::StartReceive => {
                self.receive(transport, group, (from, tag), rank, Posted { target, wanted, done });
            }
            Call::Exchange | Call::Replace => {
                let owner = Arc::new(Mutex::new(Halves { first: None, done: Some(done) }));
                let half = |is_receive| Done {
                    group: Arc::clone(group),
                    rank,
                    kind: DoneKind::Half { both: Arc::clone(&owner), is_receive },
                };
                let source =
                    if call == Call::Replace { Source::Packed(source.bytes().to_vec()) } else { source };
                let receive = Posted { target, wanted, done: half(true) };
                self.receive(transport, group, (from, tag), rank, receive);
                self.send(transport, group, rank, (partner, tag), (source, sent), half(false));
            }
            _ => match Meeting::new(group, rank, call, partner, sent, operation, subgroup) {
                Ok(meeting) => self.collect(transport, group, meeting, source, target, done),
                Err(failure) => self.refuse(transport, group, failure, done),
            },
        }
    }

    /// A call is wrong: it ends so, and then its group fails, as others wait for it.
    fn refuse(&self, transport: &dyn Transport, group: &Arc<GroupState>, failure: Failure, done: Done) {
        let message = failure.message.clone();
        done.finish(Err(failure));
        self.fail(transport, group, &message);
    }

    fn send(
        &self,
        transport: &dyn Transport,
        group: &Arc<GroupState>,
        rank: u32,
        (partner, tag): (i64, i32),
        (source, elements): (Source, Elements),
        done: Done,
    ) {
        let to = match group.rank(partner, "a send to") {
            Ok(to) => to,
            Err(failure) => return self.refuse(transport, group, failure, done),
        };
        if let Some(slot) = group.slot(to) {
            let sent = Sent { elements, origin: Origin::Local(source, done) };
            return self.arrive(transport, group, slot, rank, tag, sent);
        }
        let Some(host) = group.group.host_of(to) else { return };
        let bytes = source.bytes().len() as u64;
        let sequence = group.slot(rank).map_or(0, |slot| {
            let mut calls = slot.calls.lock();
            let sent = calls.sent.entry(to).or_default();
            *sent += 1;
            *sent - 1
        });
        let mut remote = self.remote.lock();
        if let Some(failure) = group.failed() {
            drop(remote);
            return done.finish(Err(failure));
        }
        remote.next += 1;
        let envelope = Envelope {
            group: group.number,
            source: rank,
            target: to,
            tag,
            sequence,
            elements: elements.count,
            element_bytes: elements.size,
            bytes,
            number: remote.next,
        };
        // The elements are alive while the send is in the table: another thread may take it out at once.
        let payload = if envelope.is_eager() { source.bytes().to_vec() } else { Vec::new() };
        remote.outgoing.insert(envelope.number, Outgoing { host, source, done });
        drop(remote);
        transport.send(host, &SlotMessage::Envelope(envelope), &payload);
    }

    /// A send arrives at a slot of this place.
    fn arrive(
        &self,
        transport: &dyn Transport,
        group: &Arc<GroupState>,
        slot: &SlotState,
        from: u32,
        tag: i32,
        sent: Sent,
    ) {
        let mut inbox = slot.inbox.lock();
        if let Some(failure) = group.failed() {
            drop(inbox);
            return sent.cancel(failure);
        }
        if let Some((sent, posted)) = inbox.matcher.send(from, tag, sent) {
            drop(inbox);
            self.deliver(transport, group, from, sent, posted);
        }
    }

    fn receive(
        &self,
        transport: &dyn Transport,
        group: &Arc<GroupState>,
        (from, tag): (i64, i32),
        rank: u32,
        posted: Posted,
    ) {
        let source = match from {
            ANY_SOURCE => None,
            from => match group.rank(from, "a receive from") {
                Ok(from) => Some(from),
                Err(failure) => return self.refuse(transport, group, failure, posted.done),
            },
        };
        let Some(slot) = group.slot(rank) else { return };
        let mut inbox = slot.inbox.lock();
        if let Some(failure) = group.failed() {
            drop(inbox);
            return posted.done.finish(Err(failure));
        }
        if let Some((from, sent, posted)) = inbox.matcher.receive(source, tag, posted) {
            drop(inbox);
            self.deliver(transport, group, from, sent, posted);
        }
    }

    /// A receive takes a send.
    fn deliver(
        &self,
        transport: &dyn Transport,
        group: &Arc<GroupState>,
        from: u32,
        sent: Sent,
        Posted { target, wanted, done }: Posted,
    ) {
        let Sent { elements, origin } = sent;
        if let Some(failure) = misfit(from, done.rank, elements, wanted) {
            origin.taken(transport);
            return self.refuse(transport, group, failure, done);
        }
        let result = Completion { source: from, elements: elements.count };
        match origin {
            Origin::Local(source, sender) => {
                target.write(source.bytes());
                drop(source);
                done.finish(Ok(result));
                sender.finish(Ok(Completion::default()));
            }
            Origin::Eager { host, number, payload } => {
                target.write(&payload);
                transport.send(host, &SlotMessage::Taken(number), &[]);
                done.finish(Ok(result));
            }
            Origin::Rendezvous { host, number, bytes } => {
                let mut remote = self.remote.lock();
                if let Some(failure) = group.failed() {
                    drop(remote);
                    return done.finish(Err(failure));
                }
                remote.next += 1;
                let into = remote.next;
                remote.incoming.insert(into, Incoming { host, bytes, target, result, done });
                drop(remote);
                transport.send(host, &SlotMessage::Pull { number, into }, &[]);
            }
        }
    }

    /// A slot arrives at a collective operation.
    fn collect(
        &self,
        transport: &dyn Transport,
        group: &Arc<GroupState>,
        meeting: Meeting,
        source: Source,
        target: Target,
        done: Done,
    ) {
        let Meeting { subgroup, terms, position, rank } = meeting;
        let mut instances = group.instances.lock();
        if let Some(failure) = group.failed() {
            drop(instances);
            return done.finish(Err(failure));
        }
        let instance = instances.entry(subgroup).or_insert_with(|| Instance {
            terms,
            opened_by: rank,
            arrivals: Vec::new(),
            remote: FxHashMap::default(),
        });
        if instance.terms != terms {
            let failure = disagreement(&subgroup, rank, &terms, instance.opened_by, &instance.terms);
            drop(instances);
            return self.refuse(transport, group, failure, done);
        }
        instance.arrivals.push(Arrival { position, source, target, done });
        let own = subgroup.ranks().filter(|it| group.group.host_of(*it) == Some(group.here)).count();
        if instance.arrivals.len() < own {
            return;
        }
        self.place_has_arrived(transport, group, subgroup, instances);
    }

    /// All slots of this place have arrived.
    fn place_has_arrived(
        &self,
        transport: &dyn Transport,
        group: &Arc<GroupState>,
        subgroup: Subgroup,
        mut instances: parking_lot::MutexGuard<'_, FxHashMap<Subgroup, Instance>>,
    ) {
        let hosts = hosts_of(&group.group, subgroup);
        let root = group.group.host_of(subgroup.first);
        if root == Some(group.here) {
            return self.finish_if_complete(transport, group, subgroup, &hosts, instances);
        }
        let Some(instance) = instances.get_mut(&subgroup) else { return };
        instance.arrivals.sort_by_key(|it| it.position);
        let inputs: Vec<&[u8]> = instance.arrivals.iter().map(|it| it.source.bytes()).collect();
        let payload = inputs.concat();
        let collected =
            Collected { group: group.number, subgroup, terms: instance.terms, opened_by: instance.opened_by };
        drop(instances);
        if let Some(root) = root {
            transport.send(root, &SlotMessage::Collect(collected), &payload);
        }
    }

    /// At the host of the first slot: computes the results if all have arrived.
    fn finish_if_complete(
        &self,
        transport: &dyn Transport,
        group: &Arc<GroupState>,
        subgroup: Subgroup,
        hosts: &[(u32, Vec<u32>)],
        mut instances: parking_lot::MutexGuard<'_, FxHashMap<Subgroup, Instance>>,
    ) {
        let Some(instance) = instances.get(&subgroup) else { return };
        let of_others = hosts.iter().filter(|it| it.0 != group.here).count();
        let of_here: usize = hosts.iter().filter(|it| it.0 == group.here).map(|it| it.1.len()).sum();
        if instance.arrivals.len() < of_here || instance.remote.len() < of_others {
            return;
        }
        let Some(instance) = instances.remove(&subgroup) else { return };
        drop(instances);
        let Instance { terms, arrivals, remote, .. } = instance;
        let mut inputs: Vec<&[u8]> = vec![&[]; subgroup.count as usize];
        for arrival in &arrivals {
            inputs[arrival.position as usize] = arrival.source.bytes();
        }
        for (host, positions) in hosts.iter().filter(|it| it.0 != group.here) {
            let mut at = 0;
            for position in positions {
                let length = terms.input_bytes(*position, subgroup.count);
                inputs[*position as usize] = slice(&remote[host], at, length);
                at += length;
            }
        }
        let results = results(&terms, subgroup.count, &inputs);
        for (host, positions) in hosts.iter().filter(|it| it.0 != group.here) {
            let payload = pack_results(&terms, &results, positions);
            transport.send(*host, &SlotMessage::Result { group: group.number, subgroup }, &payload);
        }
        for Arrival { position, target, done, .. } in arrivals {
            target.write(results.of(position, terms.root));
            done.finish(Ok(Completion { source: 0, elements: terms.elements }));
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
                transport.send(from, &SlotMessage::Data(into), source.bytes());
                drop(source);
                done.finish(Ok(Completion::default()));
                Ok(())
            }
            SlotMessage::Data(into) => {
                let Some(incoming) = self.remote.lock().incoming.remove(&into) else { return Ok(()) };
                if (incoming.host, incoming.bytes) != (from, payload.len() as u64) {
                    return Err("as many bytes as the envelope says, from its place");
                }
                incoming.target.write(payload);
                incoming.done.finish(Ok(incoming.result));
                Ok(())
            }
            SlotMessage::Taken(number) => {
                if let Some(outgoing) = self.take_outgoing(from, number)? {
                    outgoing.done.finish(Ok(Completion::default()));
                }
                Ok(())
            }
            SlotMessage::Collect(collected) => self.on_collected(transport, from, collected, payload),
            SlotMessage::Result { group, subgroup } => self.on_result(group, subgroup, payload),
            SlotMessage::Failed { group, message } => {
                if let Some(group) = self.group(group) {
                    self.fail_here(&group, &message);
                }
                Ok(())
            }
        }
    }

    fn take_outgoing(&self, host: u32, number: u64) -> Result<Option<Outgoing>, &'static str> {
        let mut remote = self.remote.lock();
        match remote.outgoing.get(&number) {
            Some(outgoing) if outgoing.host != host => Err("a send to the place that answers"),
            _ => Ok(remote.outgoing.remove(&number)),
        }
    }

    fn on_envelope(
        &self,
        transport: &dyn Transport,
        from: u32,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<(), &'static str> {
        let Some(group) = self.group(envelope.group) else { return Ok(()) };
        if group.group.host_of(envelope.source) != Some(from) {
            return Err("a send of a slot of its place");
        }
        let Some(slot) = group.slot(envelope.target) else { return Err("a send to a slot of this place") };
        let size = u64::from(envelope.element_bytes);
        let expected = if envelope.is_eager() { envelope.bytes } else { 0 };
        if payload.len() as u64 != expected
            || size > 0 && envelope.elements.checked_mul(size) != Some(envelope.bytes)
        {
            return Err("the bytes of a send's elements");
        }
        let mut matched = Vec::new();
        {
            let mut ready = Vec::new();
            let mut inbox = slot.inbox.lock();
            let key = (envelope.source, envelope.sequence);
            let arrived = inbox.arrived.get(&envelope.source).copied().unwrap_or(0);
            if envelope.sequence < arrived || inbox.early.contains_key(&key) {
                return Err("each send of a pair of slots once");
            }
            inbox.early.insert(key, (from, envelope, payload.to_vec()));
            let mut next = arrived;
            while let Some(found) = inbox.early.remove(&(envelope.source, next)) {
                ready.push(found);
                next += 1;
            }
            inbox.arrived.insert(envelope.source, next);
            // In order, under the lock: another thread may handle the next envelope of the pair.
            if group.failure.get().is_some() {
                return Ok(());
            }
            for (host, envelope, payload) in ready {
                let sent = Sent::from_envelope(host, &envelope, payload);
                matched.extend(inbox.matcher.send(envelope.source, envelope.tag, sent));
            }
        }
        for (sent, posted) in matched {
            self.deliver(transport, &group, envelope.source, sent, posted);
        }
        Ok(())
    }

    fn on_collected(
        &self,
        transport: &dyn Transport,
        from: u32,
        collected: Collected,
        payload: &[u8],
    ) -> Result<(), &'static str> {
        let Collected { subgroup, terms, opened_by, .. } = collected;
        let Some(group) = self.group(collected.group) else { return Ok(()) };
        let [first, count, stride] = [subgroup.first, subgroup.count, subgroup.stride].map(i64::from);
        if Subgroup::new(first, count, stride, group.group.size()) != Some(subgroup)
            || group.group.host_of(subgroup.first) != Some(group.here)
            || !terms.is_possible(subgroup.count)
        {
            return Err("a collective operation of a subgroup of this place");
        }
        let hosts = hosts_of(&group.group, subgroup);
        let positions = hosts.iter().find(|it| it.0 == from).ok_or("a place with slots of the subgroup")?;
        let expected: usize = positions.1.iter().map(|it| terms.input_bytes(*it, subgroup.count)).sum();
        if payload.len() != expected {
            return Err("the elements of a place's slots");
        }
        let mut instances = group.instances.lock();
        if group.failure.get().is_some() {
            return Ok(());
        }
        let instance = instances.entry(subgroup).or_insert_with(|| Instance {
            terms,
            opened_by,
            arrivals: Vec::new(),
            remote: FxHashMap::default(),
        });
        if instance.terms != terms {
            let failure = disagreement(&subgroup, opened_by, &terms, instance.opened_by, &instance.terms);
            drop(instances);
            self.fail(transport, &group, &failure.message);
            return Ok(());
        }
        if instance.remote.insert(from, payload.to_vec()).is_some() {
            return Err("each place of a collective operation once");
        }
        self.finish_if_complete(transport, &group, subgroup, &hosts, instances);
        Ok(())
    }

    fn on_result(&self, group: i64, subgroup: Subgroup, payload: &[u8]) -> Result<(), &'static str> {
        let Some(group) = self.group(group) else { return Ok(()) };
        let Some(mut instance) = group.instances.lock().remove(&subgroup) else {
            return if group.failure.get().is_some() { Ok(()) } else { Err("the result of what was begun") };
        };
        instance.arrivals.sort_by_key(|it| it.position);
        let terms = instance.terms;
        let mut at = 0;
        for Arrival { position, target, done, .. } in instance.arrivals {
            let length = terms.output_bytes(position, subgroup.count);
            target.write(slice(payload, at, length));
            if !terms.has_common_output() {
                at += length;
            }
            done.finish(Ok(Completion { source: 0, elements: terms.elements }));
        }
        Ok(())
    }

    /// A group fails: all its calls that wait end, at all places, and so do later ones.
    fn fail(&self, transport: &dyn Transport, group: &Arc<GroupState>, why: &str) {
        if !self.fail_here(group, why) {
            return;
        }
        let message = SlotMessage::Failed { group: group.number, message: why.to_owned() };
        for host in group.group.hosts().into_iter().filter(|host| *host != group.here) {
            transport.send(host, &message, &[]);
        }
    }

    /// Fails a group at this place; false if it has failed before.
    fn fail_here(&self, group: &Arc<GroupState>, why: &str) -> bool {
        if group.failure.set(why.to_owned()).is_err() {
            return false;
        }
        let failure = || Err(follow_up(why));
        for slot in &group.slots {
            let (sends, receives) = slot.inbox.lock().matcher.drain();
            sends.into_iter().for_each(|it| it.cancel(follow_up(why)));
            receives.into_iter().for_each(|it| it.done.finish(failure()));
        }
        let instances = std::mem::take(&mut *group.instances.lock());
        for arrival in instances.into_values().flat_map(|it| it.arrivals) {
            arrival.done.finish(failure());
        }
        let is_its = |done: &Done| Arc::ptr_eq(&done.group, group);
        let (outgoing, incoming) = {
            let mut remote = self.remote.lock();
            let outgoing: Vec<_> = remote.outgoing.extract_if(|_, it| is_its(&it.done)).collect();
            let incoming: Vec<_> = remote.incoming.extract_if(|_, it| is_its(&it.done)).collect();
            (outgoing, incoming)
        };
        outgoing.into_iter().for_each(|it| it.1.done.finish(failure()));
        incoming.into_iter().for_each(|it| it.1.done.finish(failure()));
        true
    }

    /// An activity that has made calls ends by an exception: the groups of its slots fail, as others wait for
    /// them.
    pub fn fail_slots_of(&self, transport: &dyn Transport, owner: usize, why: &str) {
        let groups: Vec<_> = self.groups.read().values().cloned().collect();
        for group in groups {
            let found = group.all_slots().find(|it| it.2.calls.lock().owner == owner).map(|it| it.1);
            if let Some(rank) = found {
                self.fail(transport, &group, &format!("slot {rank} has ended by an exception: {why}"));
            }
        }
    }

    /// A block ends. What its slots have begun uses memory of the block: unless all of it has ended, their
    /// groups fail, which ends it.
    pub fn end_block(&self, transport: &dyn Transport, owner: usize) -> Result<(), Failure> {
        let groups: Vec<_> = self.groups.read().values().cloned().collect();
        let mut outcome = Ok(());
        for group in groups {
            for (_, rank, slot) in group.all_slots().filter(|it| it.2.calls.lock().owner == owner) {
                if slot.count_pending() == 0 {
                    continue;
                }
                let message = format!(
                    "the block of slot {rank} ends before {} that it has begun: wait for each asyncSend and asyncRecv",
                    match slot.count_pending() {
                        1 => "a call".to_owned(),
                        count => format!("{count} calls"),
                    }
                );
                self.fail(transport, &group, &message);
                outcome = outcome.and(Err(Failure::operation(message)));
                // Those that another thread delivers just now.
                while slot.count_pending() > 0 {
                    std::thread::yield_now();
                }
            }
        }
        outcome
    }

    /// The calls in which slots of this place wait, and what says where they are in the program.
    pub fn waits(&self) -> Vec<(Wait, Option<Arc<dyn Probe>>)> {
        let groups: Vec<_> = self.groups.read().values().cloned().collect();
        let mut found = Vec::new();
        for group in groups {
            for (part, rank, slot) in group.all_slots() {
                let Some(waiting) = slot.calls.lock().waiting.clone() else { continue };
                let wait = Wait {
                    group: group.number,
                    rank,
                    call: waiting.call.number(),
                    partner: waiting.partner,
                    from: waiting.from,
                    tag: waiting.tag,
                    elements: waiting.elements,
                    subgroup: waiting.subgroup,
                    place: part.place,
                    block: waiting.block.filter(|_| part.side == Side::Blocks),
                    milliseconds: waiting.since.elapsed().as_millis() as u64,
                    lines: Vec::new(),
                };
                found.push((wait, waiting.probe));
            }
        }
        found.sort_by_key(|(wait, _)| (wait.group, wait.rank));
        found
    }
}

/// What a slot arrives at.
struct Meeting {
    subgroup: Subgroup,
    terms: Terms,
    position: u32,
    rank: u32,
}

impl Meeting {
    fn new(
        group: &GroupState,
        rank: u32,
        call: Call,
        root: i64,
        part: Elements,
        operation: i32,
        subgroup: [i64; 3],
    ) -> Result<Meeting, Failure> {
        let [first, count, stride] = subgroup;
        let Some(subgroup) = Subgroup::new(first, count, stride, group.group.size()) else {
            return Err(Failure::argument(format!(
                "a subgroup of {count} slots from {first} on, {stride} apart, is not inside of a group of {} slots",
                group.group.size()
            )));
        };
        let Some(position) = subgroup.position(rank) else {
            return Err(Failure::argument(format!(
                "slot {rank} is not in the subgroup whose {} it calls",
                call.name()
            )));
        };
        let has_root = matches!(call, Call::Broadcast | Call::Gather | Call::Scatter | Call::Reduce);
        let root = match has_root {
            true => u32::try_from(root).ok().and_then(|root| subgroup.position(root)).ok_or_else(|| {
                Failure::argument(format!("{} with root {root}, which is not in the subgroup", call.name()))
            })?,
            false => 0,
        };
        if part.size == 0 && call != Call::Barrier {
            return Err(Failure::argument(format!(
                "{} of elements with references: collective operations of slots take numbers, Boolean, Char and structs of these; send objects one by one",
                call.name()
            )));
        }
        let terms = Terms::new(call, root, part, operation);
        let reduces = matches!(call, Call::Reduce | Call::AllReduce);
        let operation = Operation::from_number(operation);
        if reduces && !operation.is_some_and(|it| combine(&mut [], &[], part.kind, it)) {
            let operation = operation.map_or("that operation".to_owned(), |it| format!("{it:?}"));
            return Err(Failure::argument(format!(
                "{} by {operation} has no meaning for these elements",
                call.name()
            )));
        }
        Ok(Meeting { subgroup, terms, position, rank })
    }
}

impl Sent {
    fn from_envelope(host: u32, envelope: &Envelope, payload: Vec<u8>) -> Sent {
        let elements = Elements { count: envelope.elements, size: envelope.element_bytes, kind: 0 };
        let number = envelope.number;
        let origin = match envelope.is_eager() {
            true => Origin::Eager { host, number, payload },
            false => Origin::Rendezvous { host, number, bytes: envelope.bytes },
        };
        Sent { elements, origin }
    }

    /// The group has failed.
    fn cancel(self, failure: Failure) {
        if let Origin::Local(_, done) = self.origin {
            done.finish(Err(failure));
        }
    }
}

impl Origin {
    /// A receive has taken the send without its elements.
    fn taken(self, transport: &dyn Transport) {
        match self {
            Origin::Local(_, done) => done.finish(Ok(Completion::default())),
            Origin::Eager { host, number, .. } | Origin::Rendezvous { host, number, .. } => {
                transport.send(host, &SlotMessage::Taken(number), &[]);
            }
        }
    }
}

/// The hosts of a subgroup with the positions of their slots, in order.
fn hosts_of(group: &Group, subgroup: Subgroup) -> Vec<(u32, Vec<u32>)> {
    let mut hosts: Vec<(u32, Vec<u32>)> = Vec::new();
    for position in 0..subgroup.count {
        let Some(host) = group.host_of(subgroup.rank(position)) else { continue };
        match hosts.iter_mut().find(|it| it.0 == host) {
            Some(found) => found.1.push(position),
            None => hosts.push((host, vec![position])),
        }
    }
    hosts
}

/// The results of slots, one after the other; once if all receive the same.
fn pack_results(terms: &Terms, results: &Results, positions: &[u32]) -> Vec<u8> {
    let count = if terms.has_common_output() { 1 } else { positions.len() };
    let all: Vec<&[u8]> = positions.iter().take(count).map(|it| results.of(*it, terms.root)).collect();
    all.concat()
}

fn disagreement(subgroup: &Subgroup, rank: u32, terms: &Terms, other_rank: u32, other: &Terms) -> Failure {
    let root = |terms: &Terms| subgroup.rank(terms.root);
    Failure::argument(format!(
        "slots disagree on a collective operation: slot {rank} calls {}, and slot {other_rank} calls {}",
        terms.describe(root(terms)),
        other.describe(root(other))
    ))
}

/// Why a receive cannot take a send.
fn misfit(from: u32, to: u32, sent: Elements, wanted: Elements) -> Option<Failure> {
    let bytes =
        |size: u32| if size == 0 { "objects".to_owned() } else { format!("elements of {size} bytes") };
    if sent.size != wanted.size {
        return Some(Failure::argument(format!(
            "slot {to} receives {}, and slot {from} has sent {}",
            bytes(wanted.size),
            bytes(sent.size)
        )));
    }
    (sent.count > wanted.count).then(|| {
        Failure::argument(format!(
            "slot {from} has sent {} elements, and the receive of slot {to} has room for {}",
            sent.count, wanted.count
        ))
    })
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

fn waiting(request: &Request) -> Waiting {
    let [first, count, stride] = request.subgroup;
    let is_collective = request.call.is_collective();
    Waiting {
        call: request.call,
        partner: request.partner,
        from: request.from,
        tag: request.tag,
        elements: if request.call == Call::Receive { request.wanted.count } else { request.sent.count },
        subgroup: is_collective.then(|| Subgroup::new(first, count, stride, u32::MAX)).flatten(),
        block: request.block,
        probe: request.probe.clone(),
        since: Instant::now(),
    }
}

fn unknown_group() -> Failure {
    let why = "the group of slots is not known here: it was deleted, or this place is none of its places";
    Failure::operation(why.to_owned())
}

fn unknown_request(rank: u32, number: u64) -> Failure {
    Failure::operation(format!("slot {rank} has not begun request {number}, or has waited for it already"))
}

/// Whether something that was begun has ended.
fn test(group: &GroupState, rank: u32, number: u64) -> Outcome {
    let Some(slot) = group.slot(rank) else { return Err(unknown_request(rank, number)) };
    match slot.calls.lock().outstanding.get(&number) {
        Some(Outstanding::Pending) => Ok(Completion::default()),
        Some(Outstanding::Ended(_)) => Ok(Completion { source: 0, elements: 1 }),
        Some(Outstanding::Awaited(_)) | None => Err(unknown_request(rank, number)),
    }
}

/// Waits for something that was begun.
fn wait(group: &GroupState, rank: u32, request: &Request, then: Continuation) {
    let number = request.partner as u64;
    let Some(slot) = group.slot(rank) else { return then(Err(unknown_request(rank, number))) };
    let mut calls = slot.calls.lock();
    match calls.outstanding.remove(&number) {
        Some(Outstanding::Ended(outcome)) => {
            drop(calls);
            then(outcome);
        }
        Some(Outstanding::Pending) => {
            calls.outstanding.insert(number, Outstanding::Awaited(then));
            calls.owner = request.owner;
            calls.waiting = Some(waiting(request));
        }
        other => {
            if let Some(awaited) = other {
                calls.outstanding.insert(number, awaited);
            }
            drop(calls);
            then(Err(unknown_request(rank, number)));
        }
    }
}
