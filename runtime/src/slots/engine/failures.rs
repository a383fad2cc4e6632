//! Failures of groups: all calls of a group that wait end by an exception, at all places, as partners would
//! wait for ever otherwise.

use super::state::{Done, Engine, GroupRef, follow_up};
use crate::slots::group::Part;
use crate::slots::message::{SlotMessage, Transport};
use crate::slots::request::Failure;

impl Engine {
    /// A call is wrong: it ends so, and then its group fails, as others wait for it.
    pub(super) fn refuse(&self, transport: &dyn Transport, group: &GroupRef, failure: Failure, done: Done) {
        let message = failure.message.clone();
        done.finish(Err(failure));
        self.fail(transport, group, &message);
    }

    /// A group fails: all its calls that wait end, at all places, and so do later ones.
    pub(super) fn fail(&self, transport: &dyn Transport, group: &GroupRef, why: &str) {
        if !self.fail_here(transport, group, why) {
            return;
        }
        let message = SlotMessage::Failed { group: group.number, message: why.to_owned() };
        for host in group.group.hosts().into_iter().filter(|host| *host != group.here) {
            transport.send(host, &message, &[]);
        }
    }

    /// Fails a group at this place; false if it has failed before.
    pub(super) fn fail_here(&self, transport: &dyn Transport, group: &GroupRef, why: &str) -> bool {
        if group.failure.set(why.to_owned()).is_err() {
            return false;
        }
        let failure = || Err(follow_up(why));
        for slot in &group.slots {
            let ((sends, receives), effects) = slot.inbox.with(group, |content| content.matcher.drain());
            effects.into_iter().for_each(|it| self.run(transport, group, it));
            sends.into_iter().for_each(|it| it.cancel(follow_up(why)));
            receives.into_iter().for_each(|it| it.done.finish(failure()));
        }
        let instances = std::mem::take(&mut *group.instances.lock());
        for arrival in instances.into_values().flat_map(|it| it.arrivals) {
            arrival.done.finish(failure());
        }
        let is_its = |done: &Done| done.group.is_same(group);
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
        let groups = self.all_groups();
        for (_, group) in groups {
            let found = group.all_slots().find(|it| it.2.calls.lock().owner == owner).map(|it| it.1);
            if let Some(rank) = found {
                self.fail(transport, &group, &format!("slot {rank} has ended by an exception: {why}"));
            }
        }
    }

    /// Blocks that have made calls of a group's slots without the host have failed: so does the group, as
    /// others wait for them.
    pub fn fail_part(&self, transport: &dyn Transport, group: i64, part: &Part, why: &str) {
        let Some(group) = self.group(group, 0) else { return };
        let who = match part.count {
            1 => format!("slot {}", part.first),
            _ => format!("one of the slots {} to {}", part.first, part.end() - 1),
        };
        self.fail(transport, &group, &format!("{who} has ended by an exception: {why}"));
    }

    /// A block ends. What its slots have begun uses memory of the block: unless all of it has ended, their
    /// groups fail, which ends it.
    pub fn end_block(&self, transport: &dyn Transport, owner: usize) -> Result<(), Failure> {
        let groups = self.all_groups();
        let mut outcome = Ok(());
        for (_, group) in groups {
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
}
