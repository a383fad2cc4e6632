//! x10.lang.Clock.

use super::activities::{not_in_atomic, with_activity};
use super::raise;
use crate::abi::{ExceptionKind, Outcome};
use crate::apgas::cancellation;
use crate::apgas::clock::{self, Pending, Registration};

/// Calls `work` with the activity's registration on a clock.
fn registration<R>(clock: i64, what: &str, work: impl FnOnce(&mut Registration) -> R) -> Outcome<R> {
    with_activity(|activity| {
        match activity.clocks.iter_mut().find(|registration| registration.handle == clock) {
            Some(registration) => Ok(work(registration)),
            None => {
                let message = format!("{what} on a clock that this activity is not registered on");
                raise(ExceptionKind::ClockUse, &message)
            }
        }
    })
}

pub(crate) fn clock_make() -> Outcome<i64> {
    not_in_atomic("Clock.make")?;
    with_activity(|activity| {
        let registration = clock::make();
        let handle = registration.handle;
        activity.clocks.push(registration);
        Ok(handle)
    })
}

pub(crate) fn clock_advance(clock: i64) -> Outcome<()> {
    not_in_atomic("advance")?;
    cancellation::check()?;
    let pending = registration(clock, "advance", |registration| {
        registration.resume();
        registration.next_phase()
    })?;
    end_phase(clock, pending)
}

/// Waits for the end of a phase, unless the activity is cancelled before.
fn end_phase(clock: i64, pending: Pending) -> Outcome<()> {
    if pending.wait() {
        return cancellation::check();
    }
    registration(clock, "advance", Registration::return_to_last_phase)?;
    Err(cancellation::exception())
}

pub(crate) fn clock_resume(clock: i64) -> Outcome<()> {
    not_in_atomic("resume")?;
    registration(clock, "resume", Registration::resume)
}

pub(crate) fn clock_drop(clock: i64) -> Outcome<()> {
    not_in_atomic("drop")?;
    let dropped = with_activity(|activity| Ok(activity.clocks.drop_one(clock)))?;
    if dropped { Ok(()) } else { registration(clock, "drop", |_| ()) }
}

pub(crate) fn clock_phase(clock: i64) -> Outcome<i32> {
    registration(clock, "phase", |registration| registration.phase())
}

pub(crate) fn clock_registered(clock: i64) -> bool {
    crate::apgas::activity::activity(|activity| {
        activity.clocks.iter().any(|registration| registration.handle == clock)
    })
    .unwrap_or(false)
}

pub(crate) fn clock_advance_all() -> Outcome<()> {
    not_in_atomic("advanceAll")?;
    cancellation::check()?;
    // All arrive before any is waited for: two activities on the same clocks must not wait for each other.
    let pending = with_activity(|activity| {
        activity.clocks.iter_mut().for_each(Registration::resume);
        let next = |registration: &mut Registration| (registration.handle, registration.next_phase());
        Ok(activity.clocks.iter_mut().map(next).collect::<Vec<_>>())
    })?;
    // All are waited for, or found to be cancelled.
    let ends: Vec<_> = pending.into_iter().map(|(clock, pending)| end_phase(clock, pending)).collect();
    ends.into_iter().collect()
}

pub(crate) fn clock_resume_all() -> Outcome<()> {
    not_in_atomic("resumeAll")?;
    with_activity(|activity| {
        activity.clocks.iter_mut().for_each(Registration::resume);
        Ok(())
    })
}
