//! x10.lang.Clock.

use super::activities::{not_in_atomic, with_activity};
use super::raise;
use crate::abi::{ExceptionKind, Outcome};
use crate::activity::clock::{self, Registration};

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

pub fn clock_make() -> Outcome<i64> {
    not_in_atomic("Clock.make")?;
    with_activity(|activity| {
        let registration = clock::make();
        let handle = registration.handle;
        activity.clocks.push(registration);
        Ok(handle)
    })
}

pub fn clock_advance(clock: i64) -> Outcome<()> {
    not_in_atomic("advance")?;
    let pending = registration(clock, "advance", |registration| {
        registration.resume();
        registration.next_phase()
    })?;
    pending.wait();
    Ok(())
}

pub fn clock_resume(clock: i64) -> Outcome<()> {
    not_in_atomic("resume")?;
    registration(clock, "resume", Registration::resume)
}

pub fn clock_drop(clock: i64) -> Outcome<()> {
    not_in_atomic("drop")?;
    let dropped = with_activity(|activity| Ok(activity.clocks.drop_one(clock)))?;
    if dropped { Ok(()) } else { registration(clock, "drop", |_| ()) }
}

pub fn clock_phase(clock: i64) -> Outcome<i32> {
    registration(clock, "phase", |registration| registration.phase())
}

pub fn clock_registered(clock: i64) -> bool {
    crate::activity::activity(|activity| {
        activity.clocks.iter().any(|registration| registration.handle == clock)
    })
    .unwrap_or(false)
}

pub fn clock_advance_all() -> Outcome<()> {
    not_in_atomic("advanceAll")?;
    // All arrive before any is waited for: two activities on the same clocks must not wait for each other.
    let pending = with_activity(|activity| {
        activity.clocks.iter_mut().for_each(Registration::resume);
        Ok(activity.clocks.iter_mut().map(Registration::next_phase).collect::<Vec<_>>())
    })?;
    pending.into_iter().for_each(|pending| pending.wait());
    Ok(())
}

pub fn clock_resume_all() -> Outcome<()> {
    not_in_atomic("resumeAll")?;
    with_activity(|activity| {
        activity.clocks.iter_mut().for_each(Registration::resume);
        Ok(())
    })
}
