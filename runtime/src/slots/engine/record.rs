//! Calls of slots and their messages in a profile ([`crate::profile`]).

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

use super::state::{Done, DoneKind, GroupState, Origin, Sent};
use crate::profile::{self, Code, Slot, SlotCall};
use crate::slots::request::{Call, Continuation, Outcome, Request};

impl GroupState {
    /// Records a call that begins, if there is a profile. Its continuation records its end if it waits, and
    /// that of a test if what was begun has ended; otherwise it is given back, to end when its send or
    /// receive has begun.
    pub(super) fn record_call(
        &self,
        rank: u32,
        request: &Request,
        then: Continuation,
    ) -> (Option<SlotCall>, Continuation) {
        if !profile::on() {
            return (None, then);
        }
        let call = self.recorded_call(rank, request);
        let is_test = request.call == Call::Test;
        if !request.call.blocks() && !is_test {
            return (Some(call), then);
        }
        let then = move |outcome: Outcome| {
            if !is_test || outcome.as_ref().is_ok_and(|it| it.elements == 1) {
                call.end();
            }
            then(outcome);
        };
        (None, Box::new(then))
    }

    fn recorded_call(&self, rank: u32, request: &Request) -> SlotCall {
        let call = request.call;
        let sends = matches!(call, Call::Send | Call::StartSend | Call::Exchange | Call::Replace);
        let receives = matches!(call, Call::Receive | Call::StartReceive | Call::Exchange | Call::Replace);
        let result = if call.is_collective() { request.target.room() } else { 0 };
        SlotCall {
            slot: self.recorded_slot(rank),
            name: call.name(),
            to: (sends || call.has_root()).then_some(request.partner),
            from: receives.then_some(request.from),
            tag: (sends || receives).then_some(request.tag),
            bytes: (request.source.length() + result) as u64,
            awaited: matches!(call, Call::Wait | Call::Test).then_some(request.partner as u64),
            code: request.probe.as_ref().map_or_else(Code::of_caller, |probe| probe.code()),
            began: profile::now(),
        }
    }

    fn recorded_slot(&self, rank: u32) -> Slot {
        let place = self.group.part_of(rank).map_or(i64::from(self.here), |part| part.place);
        Slot { place, group: self.number, rank }
    }

    /// A message is sent; `sequence` is its number among those of its pair of slots.
    pub(super) fn record_sent(&self, source: u32, target: u32, sequence: u64) {
        if profile::on() {
            let flow = flow_number(self.number, source, target, sequence);
            profile::message_sent(self.recorded_slot(source), flow);
        }
    }

    /// A receive, which ends with `done`, takes a send.
    pub(super) fn record_received(&self, source: u32, sent: &Sent, done: &Done) {
        if !profile::on() {
            return;
        }
        let bytes = match &sent.origin {
            Origin::Local(source, _) => source.length() as u64,
            Origin::Eager { payload, .. } => payload.len() as u64,
            Origin::Rendezvous { bytes, .. } => *bytes,
        };
        let awaited = match done.kind {
            DoneKind::Outstanding(number) => Some(number),
            DoneKind::Call(_) | DoneKind::Half { .. } => None,
        };
        let flow = flow_number(self.number, source, done.rank, sent.sequence);
        profile::message_received(self.recorded_slot(done.rank), flow, awaited, source, bytes);
    }
}

/// The number of a message in profiles, the same at the places of both slots.
fn flow_number(group: i64, source: u32, target: u32, sequence: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_i64(group);
    hasher.write_u32(source);
    hasher.write_u32(target);
    hasher.write_u64(sequence);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::flow_number;

    #[test]
    fn messages_of_groups_pairs_and_positions_have_different_numbers() {
        let mut numbers = HashSet::new();
        for group in 1..5 {
            for (source, target) in (0..20).flat_map(|source| (0..20).map(move |target| (source, target))) {
                numbers.extend((0..50).map(|sequence| flow_number(group, source, target, sequence)));
            }
        }
        assert_eq!(numbers.len(), 4 * 20 * 20 * 50);
    }
}
