//! Sends and receives of activities whose partner waits already: they need neither a continuation nor an
//! entry among the calls that wait.

use super::point_to_point::misfit;
use super::state::{Engine, GroupRef, Origin, Posted, Sent, SlotState};
use crate::base::sanitizer;
use crate::profile;
use crate::slots::message::Transport;
use crate::slots::request::{ANY_SOURCE, Call, Completion, Outcome, Request, Source, Target};

impl Engine {
    /// Makes a send or a receive if its partner at this place waits for it with elements in memory of the
    /// host. `None` if the call is to be posted, also if something is wrong with it.
    pub fn make_now(&self, transport: &dyn Transport, request: &Request) -> Option<Outcome> {
        if profile::on()
            || sanitizer::watches_threads()
            || !matches!(request.call, Call::Send | Call::Receive)
        {
            return None;
        }
        let group = self.group(request.group, request.rank)?;
        let rank = u32::try_from(request.rank).ok()?;
        let slot = group.slot(rank)?;
        if group.failure.get().is_some() {
            return None;
        }
        {
            let mut calls = slot.calls.lock();
            if calls.waiting.is_some() {
                return None;
            }
            calls.owner = request.owner;
        }
        match (request.call, &request.source, &request.target) {
            (Call::Send, source @ Source::Memory { .. }, _) => {
                self.send_now(transport, &group, rank, source, request)
            }
            (Call::Receive, _, target @ Target::Memory { .. }) => {
                self.receive_now(transport, &group, (rank, slot), target, request)
            }
            _ => None,
        }
    }

    fn send_now(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
        rank: u32,
        source: &Source,
        request: &Request,
    ) -> Option<Outcome> {
        let to = u32::try_from(request.partner).ok()?;
        let accepts = |posted: &Posted| {
            matches!(posted.target, Target::Memory { .. })
                && misfit(rank, to, request.sent, posted.wanted).is_none()
        };
        let (posted, effects) = group
            .slot(to)?
            .inbox
            .try_with(group, |content| content.matcher.take_receive(rank, request.tag, accepts))?;
        effects.into_iter().for_each(|it| self.run(transport, group, it));
        let Posted { target, done, .. } = posted?;
        // Memory of the host takes all that fits.
        let written = source.copy_to(&target);
        done.finish(written.map(|()| Completion { source: rank, elements: request.sent.count }));
        Some(Ok(Completion::default()))
    }

    fn receive_now(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
        (rank, slot): (u32, &SlotState),
        target: &Target,
        request: &Request,
    ) -> Option<Outcome> {
        let from = match request.from {
            ANY_SOURCE => None,
            from => Some(u32::try_from(from).ok()?),
        };
        let accepts = |from: u32, sent: &Sent| {
            matches!(sent.origin, Origin::Local(Source::Memory { .. } | Source::Packed(_), _))
                && misfit(from, rank, sent.elements, request.wanted).is_none()
        };
        let (taken, effects) =
            slot.inbox.try_with(group, |content| content.matcher.take_send(from, request.tag, accepts))?;
        effects.into_iter().for_each(|it| self.run(transport, group, it));
        let (from, Sent { elements, origin, .. }) = taken?;
        let Origin::Local(source, sender) = origin else { return None };
        let written = source.copy_to(target);
        drop(source);
        sender.finish(written.clone().map(|()| Completion::default()));
        Some(written.map(|()| Completion { source: from, elements: elements.count }))
    }
}
