//! The end of a call: its continuation, the entry of what a slot has begun, or one half of an exchange.

use super::state::{Done, DoneKind, Outstanding};
use crate::slots::request::Outcome;

impl Done {
    /// The call has ended. No lock is held.
    pub(super) fn finish(self, outcome: Outcome) {
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
                    None => {
                        // For the report of waiting slots, which names the half that is left. With the
                        // lock held, so that the exchange cannot end meanwhile: the note would be about
                        // the slot's next call.
                        group.note_half(rank, is_receive);
                        halves.first = Some(outcome);
                    }
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
