//! x10.util.concurrent.Lock.

use super::activities::not_in_atomic;
use super::objects::activity_identity;
use super::raise;
use crate::abi::{ExceptionKind, Outcome};
use crate::apgas::cancellation;
use crate::apgas::lock::{self, Lock};

fn find(handle: i64) -> Outcome<Lock> {
    match lock::find(handle) {
        Some(lock) => Ok(lock),
        None => raise(ExceptionKind::IllegalArgument, "a lock of another place, or none at all"),
    }
}

pub(crate) fn lock_make() -> i64 {
    lock::make()
}

pub(crate) fn lock_enter(lock: i64) -> Outcome<()> {
    not_in_atomic("lock")?;
    let is_taken = find(lock)?.enter(activity_identity());
    if is_taken { Ok(()) } else { Err(cancellation::exception()) }
}

pub(crate) fn lock_try(lock: i64) -> bool {
    lock::find(lock).is_some_and(|lock| lock.try_enter(activity_identity()))
}

pub(crate) fn lock_exit(lock: i64) -> Outcome<()> {
    if find(lock)?.exit(activity_identity()) {
        Ok(())
    } else {
        raise(ExceptionKind::IllegalOperation, "unlock by an activity that does not have the lock")
    }
}

pub(crate) fn lock_hold_count(lock: i64) -> i32 {
    lock::find(lock).map_or(0, |lock| lock.hold_count(activity_identity()) as i32)
}
