//! The inbox of a slot: what arrives for it, and its receives. Threads do not wait for each other there: one
//! that finds the inbox in use leaves its operation, and the thread that uses the inbox applies it (flat
//! combining: Hendler, Incze, Shavit and Tzafrir, SPAA 2010). So the host's thread of a device hands over the
//! requests of many blocks while an activity receives.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::state::{GroupState, Posted, Sent};
use crate::slots::matching::Matcher;
use crate::slots::message::Envelope;
use crate::slots::request::Failure;

/// What arrives for a slot.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    content: Mutex<Content>,
    /// Operations of threads that found the content in use, in their order.
    left: Mutex<Vec<Operation>>,
    /// Whether there are some.
    has_left: AtomicBool,
}

#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) matcher: Matcher<Sent, Posted>,
    /// Sends that have arrived from each slot of other places.
    pub(super) arrived: FxHashMap<u32, u64>,
    /// Envelopes that have overtaken others, by source and number.
    pub(super) early: BTreeMap<(u32, u64), (u32, Envelope, Vec<u8>)>,
}

/// An operation on an inbox.
#[derive(Debug)]
pub(super) enum Operation {
    /// A send of that rank and tag arrives.
    Send(u32, i32, Sent),
    /// A receive from a rank, or from any, with a tag.
    Receive(Option<u32>, i32, Posted),
}

/// What is to be done without a lock.
#[derive(Debug)]
pub(super) enum Effect {
    /// A receive takes a send of that rank.
    Deliver(u32, Sent, Posted),
    /// The group has failed.
    CancelSend(Sent, Failure),
    /// The group has failed.
    CancelReceive(Posted, Failure),
}

/// The effects of an operation, mostly of one.
pub(super) type Effects = SmallVec<[Effect; 1]>;

impl Inbox {
    /// Applies an operation, or leaves it to the thread that uses the inbox; in the former case gives the
    /// effects of those that were left as well.
    pub(super) fn apply(&self, group: &GroupState, operation: Operation) -> Effects {
        let mut effects = Effects::new();
        match self.content.try_lock() {
            Some(mut content) => {
                // A slot's earlier operations, which another thread should have applied, come first.
                self.apply_left(group, &mut content, &mut effects);
                effects.extend(content.apply(group, operation));
            }
            None => {
                let mut left = self.left.lock();
                left.push(operation);
                self.has_left.store(true, Ordering::Relaxed);
            }
        }
        self.finish_left(group, &mut effects);
        effects
    }

    /// Uses the content alone.
    pub(super) fn with<T>(&self, group: &GroupState, run: impl FnOnce(&mut Content) -> T) -> (T, Effects) {
        let mut effects = Effects::new();
        let mut content = self.content.lock();
        self.apply_left(group, &mut content, &mut effects);
        let result = run(&mut content);
        drop(content);
        self.finish_left(group, &mut effects);
        (result, effects)
    }

    /// The same, if no other thread uses it.
    pub(super) fn try_with<T>(
        &self,
        group: &GroupState,
        run: impl FnOnce(&mut Content) -> T,
    ) -> Option<(T, Effects)> {
        let mut effects = Effects::new();
        let mut content = self.content.try_lock()?;
        self.apply_left(group, &mut content, &mut effects);
        let result = run(&mut content);
        drop(content);
        self.finish_left(group, &mut effects);
        Some((result, effects))
    }

    /// Applies what other threads have left, unless a thread uses the content, which then does. The fence is
    /// between the end of a use and the look at what was left, and between leaving an operation and the try
    /// to use the content: one of both threads sees the other (Dekker's protocol).
    fn finish_left(&self, group: &GroupState, effects: &mut Effects) {
        loop {
            fence(Ordering::SeqCst);
            if !self.has_left.load(Ordering::Relaxed) {
                return;
            }
            let Some(mut content) = self.content.try_lock() else { return };
            self.apply_left(group, &mut content, effects);
        }
    }

    fn apply_left(&self, group: &GroupState, content: &mut MutexGuard<'_, Content>, effects: &mut Effects) {
        if !self.has_left.load(Ordering::Relaxed) {
            return;
        }
        let operations = {
            let mut left = self.left.lock();
            self.has_left.store(false, Ordering::Relaxed);
            std::mem::take(&mut *left)
        };
        effects.extend(operations.into_iter().filter_map(|it| content.apply(group, it)));
    }
}

impl Content {
    fn apply(&mut self, group: &GroupState, operation: Operation) -> Option<Effect> {
        match (operation, group.failed()) {
            (Operation::Send(_, _, sent), Some(failure)) => Some(Effect::CancelSend(sent, failure)),
            (Operation::Receive(_, _, posted), Some(failure)) => Some(Effect::CancelReceive(posted, failure)),
            (Operation::Send(from, tag, sent), None) => {
                let (sent, posted) = self.matcher.send(from, tag, sent)?;
                Some(Effect::Deliver(from, sent, posted))
            }
            (Operation::Receive(source, tag, posted), None) => {
                let (from, sent, posted) = self.matcher.receive(source, tag, posted)?;
                Some(Effect::Deliver(from, sent, posted))
            }
        }
    }
}
