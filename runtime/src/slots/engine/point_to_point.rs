//! Sends and receives: matched at the place of the receiver, where envelopes of other places take part with
//! their elements (eager protocol) or without (rendezvous protocol, then fetched).

use super::inbox::{Effect, Operation};
use super::state::{Done, Engine, GroupRef, Incoming, Origin, Outgoing, Posted, Sent, SlotState};
use crate::profile;
use crate::slots::message::{Envelope, SlotMessage, Transport, is_eager};
use crate::slots::request::{ANY_SOURCE, Completion, Elements, Failure, Source};

impl Engine {
    pub(super) fn send(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
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
            let sequence = if profile::on() { group.count_send(rank, to) } else { 0 };
            group.record_sent(rank, to, sequence);
            let sent = Sent { sequence, elements, origin: Origin::Local(source, done) };
            return self.apply(transport, group, slot, Operation::Send(rank, tag, sent));
        }
        let Some(host) = group.group.host_of(to) else { return };
        let bytes = source.length() as u64;
        // Few bytes of a device travel with the envelope as well.
        let source = match if is_eager(bytes) { source.on_host() } else { Ok(source) } {
            Ok(source) => source,
            Err(failure) => return self.refuse(transport, group, failure, done),
        };
        let sequence = group.count_send(rank, to);
        group.record_sent(rank, to, sequence);
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

    pub(super) fn receive(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
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
        self.apply(transport, group, slot, Operation::Receive(source, tag, posted));
    }

    fn apply(&self, transport: &dyn Transport, group: &GroupRef, slot: &SlotState, operation: Operation) {
        let effects = slot.inbox.apply(group, operation);
        effects.into_iter().for_each(|it| self.run(transport, group, it));
    }

    /// Does what an operation on an inbox has led to.
    pub(super) fn run(&self, transport: &dyn Transport, group: &GroupRef, effect: Effect) {
        match effect {
            Effect::Deliver(from, sent, posted) => self.deliver(transport, group, from, sent, posted),
            Effect::CancelSend(sent, failure) => sent.cancel(failure),
            Effect::CancelReceive(posted, failure) => posted.done.finish(Err(failure)),
        }
    }

    /// A receive takes a send.
    fn deliver(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
        from: u32,
        sent: Sent,
        Posted { target, wanted, done }: Posted,
    ) {
        group.record_received(from, &sent, &done);
        let Sent { elements, origin, .. } = sent;
        if let Some(failure) = misfit(from, done.rank, elements, wanted) {
            origin.taken(transport);
            return self.refuse(transport, group, failure, done);
        }
        let result = Completion { source: from, elements: elements.count };
        match origin {
            Origin::Local(source, sender) => {
                let copied = source.copy_to(&target);
                drop(source);
                match copied {
                    Ok(()) => {
                        done.finish(Ok(result));
                        sender.finish(Ok(Completion::default()));
                    }
                    Err(failure) => {
                        sender.finish(Err(failure.clone()));
                        self.refuse(transport, group, failure, done);
                    }
                }
            }
            Origin::Eager { host, number, payload } => {
                let written = target.write(&payload);
                transport.send(host, &SlotMessage::Taken(number), &[]);
                match written {
                    Ok(()) => done.finish(Ok(result)),
                    Err(failure) => self.refuse(transport, group, failure, done),
                }
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

    pub(super) fn take_outgoing(&self, host: u32, number: u64) -> Result<Option<Outgoing>, &'static str> {
        let mut remote = self.remote.lock();
        match remote.outgoing.get(&number) {
            Some(outgoing) if outgoing.host != host => Err("a send to the place that answers"),
            _ => Ok(remote.outgoing.remove(&number)),
        }
    }

    pub(super) fn on_envelope(
        &self,
        transport: &dyn Transport,
        from: u32,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<(), &'static str> {
        let Some(group) = self.group(envelope.group, i64::from(envelope.target)) else { return Ok(()) };
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
        let (outcome, effects) = slot.inbox.with(&group, |inbox| {
            let mut ready = Vec::new();
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
            Ok(())
        });
        effects.into_iter().for_each(|it| self.run(transport, &group, it));
        outcome?;
        for (sent, posted) in matched {
            self.deliver(transport, &group, envelope.source, sent, posted);
        }
        Ok(())
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
        Sent { sequence: envelope.sequence, elements, origin }
    }

    /// The group has failed.
    pub(super) fn cancel(self, failure: Failure) {
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

/// Why a receive cannot take a send.
pub(super) fn misfit(from: u32, to: u32, sent: Elements, wanted: Elements) -> Option<Failure> {
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
