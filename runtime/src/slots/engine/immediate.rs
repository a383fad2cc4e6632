//! Sends and receives of activities whose partner waits already: they need neither a continuation nor an
//! entry among the calls that wait.

use std::sync::Arc;

use super::point_to_point::misfit;
use super::state::{Engine, GroupRef, Origin, Posted, Sent, SlotState};
use crate::base::sanitizer;
use crate::profile;
use crate::slots::block_call::{BlockMessage, RequestSource};
use crate::slots::message::Transport;
use crate::slots::request::{ANY_SOURCE, Call, Completion, Outcome, Request, Source, Target};

/// Why a receive is not made at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotNow {
    /// Nothing has come for it yet.
    Awaited,
    /// What comes first for it takes another path, or something is wrong: it is to be posted.
    Posted,
}

impl Engine {
    /// Makes a send or a receive if its partner at this place waits for it with elements in memory of the
    /// host. `None` if the call is to be posted, also if something is wrong with it.
    pub fn make_now(&self, transport: &dyn Transport, request: &Request) -> Option<Outcome> {
        if !matches!(request.call, Call::Send | Call::Receive) {
            return None;
        }
        let (group, rank) = self.idle_slot(request)?;
        let slot = group.slot(rank)?;
        match (request.call, &request.source, &request.target) {
            (Call::Send, source @ Source::Memory { .. }, _) => {
                self.send_now(transport, &group, rank, source, request)
            }
            (Call::Receive, _, target @ Target::Memory { .. }) => {
                self.receive_now(transport, &group, (rank, slot), target, request).ok()
            }
            _ => None,
        }
    }

    /// The slot of a request that could be made at once, if it does not wait.
    fn idle_slot(&self, request: &Request) -> Option<(GroupRef, u32)> {
        if profile::on() || sanitizer::watches_threads() {
            return None;
        }
        let group = self.group(request.group, request.rank)?;
        let rank = u32::try_from(request.rank).ok()?;
        group.begin_now(rank, request.owner)?;
        Some((group, rank))
    }

    /// Makes a receive at once as [`Engine::make_now`] does, or takes the next message that blocks send in
    /// requests: straight from the request, which then needs no entry in an inbox, if nothing that has come
    /// before is to be matched first. The calls of other requests are begun as usual.
    ///
    /// # Errors
    /// Nothing has come for it, or it is to be posted.
    pub fn receive_from_blocks(
        &self,
        transport: &dyn Transport,
        request: &Request,
        sources: &[Arc<dyn RequestSource>],
    ) -> Result<Outcome, NotNow> {
        let (Call::Receive, target @ Target::Memory { .. }) = (request.call, &request.target) else {
            return Err(NotNow::Posted);
        };
        let (group, rank) = self.idle_slot(request).ok_or(NotNow::Posted)?;
        let slot = group.slot(rank).ok_or(NotNow::Posted)?;
        let receive_now = || self.receive_now(transport, &group, (rank, slot), target, request);
        let found = receive_now();
        if !matches!(found, Err(NotNow::Awaited)) {
            return found;
        }
        for source in sources {
            let mut outcome = None;
            source.poll_until_taken(&mut |message| {
                outcome = self.take_from_block(transport, &group, (rank, slot), target, request, message);
                outcome.is_some()
            });
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
        }
        // Of the calls that have been begun.
        receive_now()
    }

    /// Takes a message of a block for a receive that has not been posted.
    fn take_from_block(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
        (rank, slot): (u32, &SlotState),
        target: &Target,
        request: &Request,
        message: &BlockMessage<'_>,
    ) -> Option<Outcome> {
        let is_for_it = (message.group, message.partner, message.tag)
            == (request.group, request.rank, request.tag)
            && (request.from == ANY_SOURCE || request.from == message.rank);
        let from = u32::try_from(message.rank).ok().filter(|_| is_for_it)?;
        if misfit(from, rank, message.sent, request.wanted).is_some() {
            return None;
        }
        // What the slot has begun to receive, and what has been sent to it, come first. The block makes no
        // other call meanwhile, and no other activity receives for this slot.
        let (is_idle, effects) = slot.inbox.try_with(group, |content| content.matcher.is_idle())?;
        effects.into_iter().for_each(|it| self.run(transport, group, it));
        if !is_idle {
            return None;
        }
        group.begin_now(from, message.owner)?;
        let written = target.write(message.bytes);
        Some(written.map(|()| Completion { source: from, elements: message.sent.count }))
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
    ) -> Result<Outcome, NotNow> {
        let from = match request.from {
            ANY_SOURCE => None,
            from => Some(u32::try_from(from).map_err(|_| NotNow::Posted)?),
        };
        let mut why = NotNow::Awaited;
        let accepts = |from: u32, sent: &Sent| {
            let is_accepted =
                matches!(sent.origin, Origin::Local(Source::Memory { .. } | Source::Packed(_), _))
                    && misfit(from, rank, sent.elements, request.wanted).is_none();
            if !is_accepted {
                why = NotNow::Posted;
            }
            is_accepted
        };
        let used =
            slot.inbox.try_with(group, |content| content.matcher.take_send(from, request.tag, accepts));
        let (taken, effects) = used.ok_or(NotNow::Awaited)?;
        effects.into_iter().for_each(|it| self.run(transport, group, it));
        let (from, Sent { elements, origin, .. }) = taken.ok_or(why)?;
        let Origin::Local(source, sender) = origin else { return Err(NotNow::Posted) };
        let written = source.copy_to(target);
        drop(source);
        sender.finish(written.clone().map(|()| Completion::default()));
        Ok(written.map(|()| Completion { source: from, elements: elements.count }))
    }
}
