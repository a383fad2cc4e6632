//! Tests of, and waits for, the sends and receives that a slot has begun (`asyncSend`, `asyncRecv`).

use super::state::{GroupState, Outstanding, Waiting};
use crate::slots::request::{Completion, Continuation, Failure, Outcome, Request};

fn unknown_request(rank: u32, number: u64) -> Failure {
    Failure::operation(format!("slot {rank} has not begun request {number}, or has waited for it already"))
}

/// Whether something that was begun has ended.
pub(super) fn test(group: &GroupState, rank: u32, number: u64) -> Outcome {
    let Some(slot) = group.slot(rank) else { return Err(unknown_request(rank, number)) };
    match slot.calls.lock().outstanding.get(&number) {
        Some(Outstanding::Pending) => Ok(Completion::default()),
        Some(Outstanding::Ended(_)) => Ok(Completion { source: 0, elements: 1 }),
        Some(Outstanding::Awaited(_)) | None => Err(unknown_request(rank, number)),
    }
}

/// Waits for something that was begun.
pub(super) fn wait(group: &GroupState, rank: u32, request: &Request, then: Continuation) {
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
            calls.waiting = Some(Waiting::new(request));
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
